// What all parts of the page draw with. Whatever comes from the cluster becomes text, never markup.
const SVG = 'http://www.w3.org/2000/svg';
export const $ = id => document.getElementById(id);

export const STANDINGS = {
  broken: {word: 'broken', filter: 'Broken', mark: 'M8 1.2 14.8 8 8 14.8 1.2 8ZM5.6 5.6l4.8 4.8m0-4.8-4.8 4.8'},
  attention: {word: 'needs a look', filter: 'Needs a look', mark: 'M8 1.8 15 14H1ZM8 6v4m0 1.6v.6'},
  moving: {word: 'moving', filter: 'Moving', mark: 'M4.5 11.5V3.6M2 6l2.5-2.6L7 6m4.5-1.5v7.9M9 10l2.5 2.6L14 10'},
  paused: {word: 'paused', filter: 'Paused', mark: 'M5.5 3v10M10.5 3v10'},
  good: {word: 'as wished', filter: 'As wished', mark: 'M2.5 8.5 6.3 12.3 13.5 4.5'},
};
// Cold is hollow, warming is half full, warm is full, draining is dashed: told without colour too.
const DOTS = {
  Warm: {fill: 1}, Ready: {fill: 1}, Warming: {fill: .5}, Cold: {fill: 0}, Starting: {fill: 0},
  Draining: {fill: 0, dashed: true}, Ungated: {fill: 0, cross: true},
};

export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function draw(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// Text is touched only where it changed, so that nothing is laid out or read aloud for nothing.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function markOf(standing) {
  const svg = draw('svg', {viewBox: '0 0 16 16', 'aria-hidden': 'true'});
  svg.append(draw('path', {d: STANDINGS[standing].mark, fill: 'none', stroke: 'currentColor',
    'stroke-width': '1.8', 'stroke-linecap': 'round', 'stroke-linejoin': 'round'}));
  return svg;
}

export function dotOf(state) {
  const {fill, dashed, cross} = DOTS[state] ?? {fill: 0};
  const svg = draw('svg', {viewBox: '0 0 16 16', 'aria-hidden': 'true'});
  const ring = draw('circle', {cx: 8, cy: 8, r: 6.2, fill: fill === 1 ? 'currentColor' : 'none',
    stroke: 'currentColor', 'stroke-width': 2});
  if (dashed) ring.setAttribute('stroke-dasharray', '3 2.5');
  svg.append(ring);
  if (fill === .5) svg.append(draw('path', {d: 'M8 2a6 6 0 0 0 0 12Z', fill: 'currentColor'}));
  if (cross) svg.append(draw('path', {d: 'M4 4l8 8', stroke: 'currentColor', 'stroke-width': 2}));
  return svg;
}

export const planned = row => (row.perReplica ?? 0) * row.replicas;
export const count = (amount, one, many = `${one}s`) => `${amount} ${amount === 1 ? one : many}`;
