// The chart of one ScaledCache: load against what its replicas are planned for, and below it the
// replicas. Inline SVG without a library; the cursor follows the pointer and the arrow keys.
import {count} from './dom.js';

const SVG = 'http://www.w3.org/2000/svg';
const BAND = 42;
const PAD = {left: 46, right: 14, top: 10, bottom: 20};
const TAIL = 8;  // what holds now is drawn this much further, so that a step just taken is seen

const node = (name, attributes = {}, text) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

export const number = value =>
  value === null || value === undefined ? '–'
    : new Intl.NumberFormat('en', {maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0}).format(value);

export const clock = ms => new Date(ms).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'});
const short = ms => new Date(ms).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});

// A number at or above `most` whose quarters are round, and that quarter.
function ceiling(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  const top = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10].map(factor => factor * power).find(candidate => candidate >= most);
  return {top, step: top / 4};
}

// The indices of values that are known, in runs: unknown is a gap, never zero.
function runs(values) {
  const found = [];
  values.forEach((value, i) => {
    if (value === null) return;
    if (i > 0 && values[i - 1] !== null) found.at(-1).push(i);
    else found.push([i]);
  });
  return found;
}

export class Chart {
  constructor() {
    this.svg = node('svg', {class: 'chart', tabindex: '0', role: 'img', preserveAspectRatio: 'none'});
    this.readout = document.createElement('p');
    this.readout.className = 'readout';
    this.readout.setAttribute('aria-live', 'polite');
    this.at = null;
    this.svg.addEventListener('pointermove', event => this.point(event));
    this.svg.addEventListener('pointerleave', () => this.move(null));
    this.svg.addEventListener('keydown', event => this.key(event));
    this.svg.addEventListener('blur', () => this.move(null));
    new ResizeObserver(() => this.points && this.draw(this.points)).observe(this.svg);
  }

  draw(points) {
    this.points = points;
    const width = Math.max(this.svg.clientWidth || 640, 240);
    const height = 250;
    const last = points.second.length - 1;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    if (last < 0) {
      this.svg.append(node('text', {x: width / 2, y: height / 2, 'text-anchor': 'middle'}, 'No look yet'));
      this.svg.setAttribute('aria-label', 'Load and replicas: no look yet');
      return;
    }
    const span = Math.max(points.second[last] - points.second[0], 60);
    const begin = points.second[last] - span;
    const limit = points.replicas.map((replicas, i) => replicas * points.perReplica[i]);
    const {top, step} = ceiling(Math.max(...points.rate, ...points.peak, ...limit) * 1.08);
    const floor = height - PAD.bottom - BAND - 14;
    this.x = second => PAD.left + (second - begin) / span * (width - PAD.left - PAD.right);
    const y = value => floor - value / top * (floor - PAD.top);
    this.frame(width, height, begin, span, top, step, y);
    const place = (value, i) => `${this.x(points.second[i]).toFixed(1)} ${y(value).toFixed(1)}`;
    const known = values => runs(values).map(run => run.map(i => place(values[i], i)));
    const line = values => known(values).map(run => `M${run.join('L')}`).join('');
    const area = known(points.rate).map(run => {
      const [from, to] = [run[0], run.at(-1)].map(at => at.split(' ')[0]);
      return `M${run.join('L')}L${to} ${floor}L${from} ${floor}Z`;
    }).join('');
    const steps = limit.map((value, i) => i === 0 ? `M${place(value, i)}` : `H${place(value, i).replace(' ', 'V')}`).join('');
    this.svg.append(
      node('path', {class: 'area', d: area}),
      node('path', {class: 'peak', d: line(points.peak)}),
      node('path', {class: 'limit', d: `${steps}h${TAIL}`}),
      node('path', {class: 'rate', d: line(points.rate)}));
    if (points.rate[last] !== null) {
      const [cx, cy] = place(points.rate[last], last).split(' ');
      this.svg.append(node('circle', {class: 'now', cx, cy, r: 3.5}));
    }
    this.band(points, height, last);
    this.cursor = node('line', {class: 'cursor', y1: PAD.top, y2: height - PAD.bottom, visibility: 'hidden'});
    this.svg.append(this.cursor);
    this.svg.setAttribute('aria-label',
      `Load now ${points.rate[last] === null ? 'unknown' : `${number(points.rate[last])} requests per second`}, planned for ${number(limit[last])} with ` +
      `${count(points.replicas[last], 'replica')}, peak ${number(points.peak[last])}. Arrow keys read earlier values.`);
    this.move(this.at);
  }

  frame(width, height, begin, span, top, step, y) {
    for (let value = 0; value <= top + step / 2; value += step) {
      const line = y(value);
      this.svg.append(
        node('line', {class: 'grid', x1: PAD.left, x2: width - PAD.right, y1: line, y2: line}),
        node('text', {x: PAD.left - 6, y: line + 4, 'text-anchor': 'end'}, number(value)));
    }
    const marks = Math.max(2, Math.floor((width - PAD.left) / 130));
    for (let i = 0; i <= marks; ++i) {
      const second = begin + span * i / marks;
      const anchor = i === 0 ? 'start' : i === marks ? 'end' : 'middle';
      this.svg.append(node('text', {x: this.x(second), y: height - 4, 'text-anchor': anchor},
        span < 300 ? clock(second * 1000) : short(second * 1000)));
    }
  }

  // Replicas as steps; the share of them that serves is filled.
  band(points, height, last) {
    const ground = height - PAD.bottom;
    const most = Math.max(...points.replicas, 1);
    const steps = values => {
      let path = `M${this.x(points.second[0]).toFixed(1)} ${ground}`;
      values.forEach((value, i) => {
        path += `H${this.x(points.second[i]).toFixed(1)}V${(ground - value / most * BAND).toFixed(1)}`;
      });
      return `${path}h${TAIL}V${ground}Z`;
    };
    this.svg.append(
      node('path', {class: 'band', d: steps(points.replicas)}),
      node('path', {class: 'band-serving', d: steps(points.serving)}),
      node('text', {x: PAD.left - 6, y: ground - BAND + 9, 'text-anchor': 'end'}, String(most)),
      node('text', {x: PAD.left - 6, y: ground, 'text-anchor': 'end'}, '0'));
  }

  point(event) {
    if (!this.points || !this.x) return;
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    let best = 0;
    this.points.second.forEach((second, i) => {
      if (Math.abs(this.x(second) - x) < Math.abs(this.x(this.points.second[best]) - x)) best = i;
    });
    this.move(best);
  }

  key(event) {
    const last = (this.points?.second.length ?? 0) - 1;
    const at = this.at ?? last;
    const next = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last}[event.key];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    this.move(Math.min(Math.max(next, 0), last));
  }

  move(at) {
    const points = this.points;
    this.at = at !== null && points && at < points.second.length ? at : null;
    if (!this.cursor) return;
    this.cursor.setAttribute('visibility', this.at === null ? 'hidden' : 'visible');
    if (this.at === null) {
      this.readout.textContent = '';
      return;
    }
    const x = this.x(points.second[at]);
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
    const rate = points.rate[at] === null ? 'load unknown, planned for' : `${number(points.rate[at])} req/s of`;
    this.readout.textContent = `${clock(points.second[at] * 1000)} · ${rate} ` +
      `${number(points.replicas[at] * points.perReplica[at])} · peak ${number(points.peak[at])} · ` +
      `${count(points.replicas[at], 'replica')}, ${points.serving[at]} serving`;
  }
}
