// Rules that a page must keep for people who do not see it, or see it badly; the list of breaches.
// After WCAG 2.2: 1.1.1, 1.3.1, 1.4.3, 2.4.3, 2.5.8, 4.1.2.
const breaches = [];
const shown = element => element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true, contentVisibilityAuto: true});
const clipped = element => Boolean(element.closest('.hidden, .skip, noscript'));
const path = element => `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ''}.${element.getAttribute('class') ?? ''}`;
const all = selector => [...document.querySelectorAll(selector)].filter(shown);

function nameOf(element) {
  const labelled = (element.getAttribute('aria-labelledby') ?? '').split(' ').map(id => document.getElementById(id)?.textContent ?? '').join(' ');
  const label = element.labels?.length ? [...element.labels].map(one => one.textContent).join(' ') : '';
  return (labelled.trim() || element.getAttribute('aria-label') || label || element.textContent || '').trim();
}

for (const element of all('a[href], button, input, [tabindex="0"], [role="img"], [role="group"], [role="region"]')) {
  if (!nameOf(element)) breaches.push(`no name: ${path(element)}`);
}
for (const image of all('img')) if (!image.hasAttribute('alt')) breaches.push(`no alt: ${path(image)}`);
for (const svg of all('svg')) {
  if (svg.getAttribute('aria-hidden') !== 'true' && !nameOf(svg)) breaches.push(`unnamed drawing: ${path(svg)}`);
}
const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) breaches.push(`twice: #${id}`);
for (const element of document.querySelectorAll('[tabindex]')) {
  if (Number(element.getAttribute('tabindex')) > 0) breaches.push(`out of order: ${path(element)}`);
}
if (!document.documentElement.lang || !document.title) breaches.push('the document has no language or title');
if (all('main').length !== 1 || all('h1').length !== 1) breaches.push('not one main and one h1');
let level = 1;
for (const heading of all('h1, h2, h3, h4')) {
  const next = Number(heading.tagName[1]);
  if (next > level + 1) breaches.push(`heading level skipped: ${path(heading)}`);
  level = next;
}
for (const list of all('ul, ol')) {
  if ([...list.children].some(child => child.tagName !== 'LI')) breaches.push(`not only items: ${path(list)}`);
}
for (const table of all('table')) if (!table.querySelector('th[scope]')) breaches.push(`no header cells: ${path(table)}`);

// Contrast of each text with what is painted below it.
const channels = color => {
  const canvas = channels.canvas ??= new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return {rgb: [r, g, b], alpha: a / 255};
};
const luminance = rgb => {
  const [r, g, b] = rgb.map(value => value / 255).map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
function groundOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const {rgb, alpha} = channels(getComputedStyle(at).backgroundColor);
    if (alpha > .99) return rgb;
  }
  return [255, 255, 255];
}
let judged = 0;
for (const element of all('body *')) {
  const own = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  const input = element instanceof HTMLInputElement;
  if (!(own || input) || clipped(element)) continue;
  const style = getComputedStyle(element);
  const ink = channels(element instanceof SVGElement ? style.fill : style.color).rgb;
  const colors = input ? [ink, channels(getComputedStyle(element, '::placeholder').color).rgb] : [ink];
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  for (const color of colors) {
    const [low, high] = [luminance(color), luminance(groundOf(element))].sort((a, b) => a - b);
    const ratio = (high + .05) / (low + .05);
    ++judged;
    if (ratio < (large ? 3 : 4.5)) breaches.push(`contrast ${ratio.toFixed(2)}: ${path(element)} "${element.textContent.slice(0, 30)}"`);
  }
}
for (const element of all('button, input, .row a')) {
  const {width, height} = element.getBoundingClientRect();
  if (width > 0 && Math.min(width, height) < 24) breaches.push(`too small to hit: ${path(element)}`);
}
return {breaches, judged};
