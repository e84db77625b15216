// The status page: one stream of events keeps the list, the chosen ScaledCache is asked for by
// itself. Whatever comes from the cluster becomes text, never markup.
import {Chart, clock, number} from './chart.js';

const SVG = 'http://www.w3.org/2000/svg';
const SILENCE = 30000;  // the server says something every ten seconds
const $ = id => document.getElementById(id);

const STANDINGS = {
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

function make(tag, attributes = {}, ...children) {
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
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function markOf(standing) {
  const svg = draw('svg', {viewBox: '0 0 16 16', 'aria-hidden': 'true'});
  svg.append(draw('path', {d: STANDINGS[standing].mark, fill: 'none', stroke: 'currentColor',
    'stroke-width': '1.8', 'stroke-linecap': 'round', 'stroke-linejoin': 'round'}));
  return svg;
}

function dotOf(state) {
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

const planned = row => (row.perReplica ?? 0) * row.replicas;
const count = (amount, one, many = `${one}s`) => `${amount} ${amount === 1 ? one : many}`;

// ---- The list -------------------------------------------------------------------------------

const rows = new Map();  // key → {data, item, parts}
let order = [];          // keys, as they are shown
let filter = 'all';
let stop = null;         // the one row that Tab reaches

// What somebody has to look at stands above the rest.
const URGENCY = {broken: 0, attention: 1};
const urgencyOf = key => URGENCY[rows.get(key).data.standing] ?? 2;

function newRow(data) {
  const parts = {
    mark: make('span', {class: 'mark'}), standing: make('span', {class: 'hidden'}),
    ns: make('span', {class: 'ns'}), name: document.createElement('span'),
    why: make('span', {class: 'why'}), load: document.createElement('span'),
    fill: document.createElement('i'), count: document.createElement('span'),
    serving: document.createElement('small'),
  };
  const [space, name] = data.key.split('/');
  parts.ns.textContent = `${space}/`;
  parts.name.textContent = name;
  parts.bar = make('span', {class: 'bar', 'aria-hidden': 'true'}, parts.fill);
  parts.link = make('a', {href: `#/${data.key}`, tabindex: '-1'}, parts.mark,
    make('span', {class: 'who'}, make('span', {class: 'name'}, parts.ns, parts.name),
      make('span', {class: 'why'}, parts.standing, parts.why)),
    make('span', {class: 'load'}, parts.load, parts.bar),
    make('span', {class: 'count'}, parts.count, parts.serving));
  return {item: make('li', {class: 'row'}, parts.link), parts, data: {}};
}

function patchRow(entry, data) {
  const {parts} = entry;
  if (entry.data.standing !== data.standing) {
    parts.link.dataset.standing = data.standing;
    parts.mark.replaceChildren(markOf(data.standing));
    say(parts.standing, `${STANDINGS[data.standing].word}: `);
  }
  const limit = planned(data);
  const share = limit > 0 ? Math.min((data.rate ?? 0) / limit, 1) : 0;
  say(parts.why, data.reason);
  say(parts.load, data.rate === undefined ? 'no data' : `${number(data.rate)} / ${number(limit)} req/s`);
  parts.fill.style.transform = `scaleX(${share.toFixed(3)})`;
  set(parts.bar, 'data-full', String(share >= .95));
  say(parts.count, data.replicas === data.desired ? String(data.replicas) : `${data.replicas} → ${data.desired}`);
  say(parts.serving, data.gated ? `${data.warm} warm` : `${data.ready} ready`);
  entry.data = data;
  entry.text = `${data.key} ${data.target} ${data.reason}`.toLowerCase();
}

function shows(entry) {
  return (filter === 'all' || entry.data.standing === filter) && entry.text.includes($('search').value.trim().toLowerCase());
}

function showRows() {
  let shown = 0;
  for (const entry of rows.values()) {
    const visible = shows(entry);
    if (entry.item.hidden === visible) entry.item.hidden = !visible;
    shown += visible;
  }
  $('empty').hidden = shown > 0 || rows.size === 0;
  say($('empty'), 'None of them fits.');
  keepStop();
}

function keepStop() {
  const entry = rows.get(stop);
  if (entry && !entry.item.hidden) return;
  entry?.parts.link.setAttribute('tabindex', '-1');
  stop = order.find(key => !rows.get(key).item.hidden) ?? null;
  rows.get(stop)?.parts.link.setAttribute('tabindex', '0');
}

function moveStop(key) {
  rows.get(stop)?.parts.link.setAttribute('tabindex', '-1');
  stop = key;
  rows.get(stop)?.parts.link.setAttribute('tabindex', '0');
}

function takeRows(event, whole) {
  if (whole) {
    const there = new Set(event.rows.map(row => row.key));
    event.gone = order.filter(key => !there.has(key));
  }
  let fresh = false;
  for (const data of event.rows) {
    let entry = rows.get(data.key);
    if (!entry) {
      entry = newRow(data);
      rows.set(data.key, entry);
      fresh = true;
    }
    fresh = fresh || URGENCY[entry.data.standing] !== URGENCY[data.standing];
    patchRow(entry, data);
  }
  for (const key of event.gone) {
    rows.get(key)?.item.remove();
    fresh = rows.delete(key) || fresh;
  }
  if (fresh) placeRows();
  showRows();
}

// New rows go where they belong; those that are there stay untouched.
function placeRows() {
  order = [...rows.keys()].sort().sort((a, b) => urgencyOf(a) - urgencyOf(b));
  const focused = document.activeElement;
  const list = $('list');
  const batch = document.createDocumentFragment();
  if (list.childElementCount === 0) {
    for (const key of order) batch.append(rows.get(key).item);
    list.append(batch);
    requestAnimationFrame(() => setTimeout(() => performance.mark('list-painted')));
    return;
  }
  let before = list.firstElementChild;
  for (const key of order) {
    const {item} = rows.get(key);
    if (item === before) before = before.nextElementSibling;
    else list.insertBefore(item, before);
  }
  if (focused !== document.activeElement) focused.focus({preventScroll: true});
}

function buildFilters() {
  const names = [['all', 'All'], ...Object.entries(STANDINGS).map(([key, {filter: name}]) => [key, name])];
  for (const [key, name] of names) {
    const button = make('button', {type: 'button', 'data-filter': key, 'aria-pressed': String(key === filter)}, name);
    button.addEventListener('click', () => {
      filter = key;
      for (const other of $('filters').children) set(other, 'aria-pressed', String(other === button));
      showRows();
    });
    $('filters').append(button);
  }
}

function tell(event) {
  const tally = {broken: 0, attention: 0, moving: 0, paused: 0, good: 0};
  for (const {data} of rows.values()) ++tally[data.standing];
  for (const button of $('filters').children) {
    const key = button.dataset.filter;
    const amount = key === 'all' ? rows.size : tally[key];
    say(button, `${key === 'all' ? 'All' : STANDINGS[key].filter} ${amount}`);
    button.hidden = key !== 'all' && key !== filter && amount === 0;
  }
  const verdict = $('verdict');
  const parts = [];
  if (tally.broken) parts.push(`${count(tally.broken, 'ScaledCache is', 'ScaledCaches are')} broken`);
  if (tally.attention) parts.push(`${tally.attention} ${tally.attention === 1 ? 'needs' : 'need'} a look`);
  set(verdict, 'data-standing', tally.broken ? 'broken' : tally.attention ? 'attention' : 'good');
  if (!event.leads) {
    say(verdict, `${event.instance} stands by: another replica decides, and its page knows more.`);
  } else if (rows.size === 0) {
    say(verdict, 'No ScaledCache yet.');
  } else {
    say(verdict, parts.length ? `${parts.join(', ')} · ${rows.size} in all`
      : `${count(rows.size, 'ScaledCache')}, none of them needs you`);
  }
  const worst = tally.broken + tally.attention;
  document.title = worst ? `(${worst}) ScaledCache` : 'ScaledCache';
}

// ---- One ScaledCache ------------------------------------------------------------------------

let open = null;     // its key
let view = null;     // the elements that are patched
let asking = false;  // one question at a time
let again = false;

function pathOf(key) {
  const [space, name] = key.split('/');
  return `/api/cache?namespace=${encodeURIComponent(space)}&name=${encodeURIComponent(name)}`;
}

function card(title, ...children) {
  return make('section', {class: 'card', 'aria-label': title}, make('h3', {}, title), ...children);
}

function keyOf(kind, text) {
  return make('span', {class: kind}, make('i', {'aria-hidden': 'true'}), text);
}

function buildDetail(key) {
  view = {
    mark: make('span', {class: 'mark'}), standing: make('span', {class: 'hidden'}),
    title: make('h2', {id: 'detail-title'}, key), target: make('span', {class: 'target'}),
    reason: document.createElement('b'), sentence: document.createElement('span'),
    figures: make('dl', {class: 'figures'}), chart: new Chart(), tally: make('p', {class: 'tally'}),
    pods: make('ul', {class: 'pods-list'}), steps: make('ol', {class: 'steps'}),
    signals: document.createElement('tbody'), conditions: document.createElement('tbody'),
    peakKey: document.createTextNode('peak'), rateKey: document.createTextNode('load'),
  };
  const back = make('button', {type: 'button', class: 'back'}, 'Back to the list');
  back.addEventListener('click', close);
  view.headline = make('div', {class: 'headline'}, view.mark, view.standing, view.title, view.target, back);
  view.say = make('p', {class: 'say'}, view.reason, view.sentence);
  const head = names => make('thead', {}, make('tr', {}, ...names.map(name => make('th', {scope: 'col'}, name))));
  $('detail').replaceChildren(view.headline, view.say, view.figures,
    card('Load and replicas',
      make('div', {class: 'key'}, keyOf('rate', view.rateKey), keyOf('peak', view.peakKey),
        keyOf('limit', 'what the replicas are planned for'), keyOf('pods', 'replicas, filled where they serve')),
      view.chart.svg, view.chart.readout),
    card('Pods', view.tally, view.pods),
    card('Decisions', view.steps),
    card('Signals', make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of signals'},
      make('table', {}, head(['Signal', 'Health', 'Load', 'Peak', 'Per replica', 'Asks for', 'Sample age', 'Pods covered']), view.signals))),
    card('Conditions', make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of conditions'},
      make('table', {}, head(['Condition', 'Status', 'Reason', 'Message']), view.conditions))));
}

function figure(name, value, more = '') {
  return make('div', {}, make('dt', {}, name), make('dd', {}, value, ' ', make('small', {}, more)));
}

function seconds(ms) {
  return ms >= 60000 && ms % 60000 === 0 ? `${ms / 60000} min` : `${number(ms / 1000)} s`;
}

function patchDetail(data) {
  view.headline.dataset.standing = data.standing;
  view.mark.replaceChildren(markOf(data.standing));
  say(view.standing, STANDINGS[data.standing].word);
  say(view.target, `scales ${data.target}`);
  set(view.say, 'data-standing', data.standing);
  say(view.reason, `${STANDINGS[data.standing].word} · ${data.reason}`);
  say(view.sentence, data.sentence);
  say(view.rateKey, `load, last ${seconds(data.shortWindowMs)}`);
  say(view.peakKey, `peak, last ${seconds(data.longWindowMs)}`);
  view.figures.replaceChildren(
    figure('Load', number(data.rate), 'req/s'),
    figure('Planned for', number(planned(data)), `req/s, ${number(data.perReplica)} each`),
    figure('Replicas', data.replicas === data.desired ? String(data.replicas) : `${data.replicas} → ${data.desired}`,
      `of ${data.min} to ${data.max}`),
    figure(data.gated ? 'Warm' : 'Ready', String(data.gated ? data.warm : data.ready), `of ${data.replicas}`),
    figure('Last look', clock(data.looked)));
  view.chart.draw(data.points);
  patchPods(data);
  patchSteps(data.decisions);
  patchSignals(data.signals);
  patchConditions(data.conditions);
}

function patchPods(data) {
  const tally = new Map();
  for (const pod of data.pods) tally.set(pod.state, (tally.get(pod.state) ?? 0) + 1);
  const words = [...tally].map(([state, amount]) => `${amount} ${state.toLowerCase()}`).join(', ') || 'none';
  say(view.tally, data.gated ? words : `${words} · their caches are not checked, because warmup is off`);
  view.pods.replaceChildren(...data.pods.map(pod => {
    const facts = [pod.state.toLowerCase()];
    if (pod.hitPercent !== undefined) facts.push(`${pod.hitPercent} % hits`);
    if (pod.seconds !== undefined) facts.push(`${number(pod.seconds)} s`);
    if (pod.message) facts.push(pod.message);
    const dot = make('span', {class: 'dot'}, dotOf(pod.state));
    return make('li', {class: 'pod', 'data-state': pod.state}, dot,
      make('span', {class: 'pod-name', title: pod.name}, pod.name),
      make('span', {class: 'pod-state'}, facts.join(' · ')));
  }));
}

function patchSteps(decisions) {
  view.steps.replaceChildren(...decisions.map(step => {
    const way = step.to > step.from ? 'up' : step.to < step.from ? 'down' : 'same';
    return make('li', {}, make('time', {datetime: new Date(step.since).toISOString()}, clock(step.since)),
      make('b', {class: way}, step.from === step.to ? `stays ${step.to}` : `${step.from} → ${step.to}`),
      make('p', {}, step.sentence, make('small', {}, step.reason)));
  }));
}

function patchSignals(signals) {
  const cell = text => make('td', {class: 'number'}, text);
  view.signals.replaceChildren(...signals.map(signal => {
    const health = make('td', {class: signal.health === 'Fresh' ? 'fine' : 'bad'}, signal.health);
    if (signal.problem) health.append(make('br'), make('small', {}, signal.problem));
    if (signal.saturated) health.append(make('br'), make('small', {}, 'work is refused'));
    return make('tr', {}, make('th', {scope: 'row'}, signal.name), health, cell(number(signal.rate)),
      cell(number(signal.peak)), cell(number(signal.perReplica)), cell(String(signal.wish)),
      cell(signal.sampleAgeMs === undefined ? '–' : seconds(signal.sampleAgeMs)),
      cell(`${Math.round(signal.coverage * 100)} %`));
  }));
}

function patchConditions(conditions) {
  view.conditions.replaceChildren(...conditions.map(condition => make('tr', {},
    make('th', {scope: 'row'}, condition.type), make('td', {}, condition.status),
    make('td', {}, condition.reason), make('td', {}, condition.message))));
}

async function ask() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  do {
    again = false;
    const key = open;
    try {
      const response = await fetch(pathOf(key), {headers: door(), cache: 'no-store'});
      if (key !== open) again = open !== null;
      else if (response.ok) patchDetail(await response.json());
    } catch {
      // The stream notices that the operator is away, and says so.
    }
  } while (again && open !== null);
  asking = false;
}

function choose() {
  const key = decodeURIComponent(location.hash.slice(2));
  const known = rows.has(key);
  rows.get(open)?.parts.link.removeAttribute('aria-current');
  if (!known) {
    open = null;
    delete document.body.dataset.open;
    return;
  }
  const {link} = rows.get(key).parts;
  link.setAttribute('aria-current', 'true');
  moveStop(key);
  document.body.dataset.open = 'true';
  if (open === key) return;
  const byHand = document.activeElement === link;
  open = key;
  buildDetail(key);
  if (byHand) $('detail').focus();
  ask();
}

function close() {
  const key = open;
  history.pushState(null, '', location.pathname);
  choose();
  rows.get(key)?.parts.link.focus();
}

// ---- Keys -----------------------------------------------------------------------------------

function onListKey(event) {
  const shown = order.filter(key => !rows.get(key).item.hidden);
  const at = shown.indexOf(stop);
  const next = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: shown.length - 1}[event.key];
  if (next === undefined || shown.length === 0) return;
  event.preventDefault();
  moveStop(shown[Math.min(Math.max(next, 0), shown.length - 1)]);
  const {link} = rows.get(stop).parts;
  link.focus({preventScroll: true});
  link.scrollIntoView({block: 'nearest'});
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !typing) {
    event.preventDefault();
    $('search').focus();
  } else if (event.key === 'Escape' && typing && event.target.id === 'search' && event.target.value) {
    event.target.value = '';
    showRows();
  } else if (event.key === 'Escape' && open) {
    close();
  }
}

// ---- The stream -----------------------------------------------------------------------------

let token = sessionStorage.getItem('scaledcache-token') ?? '';

function door() {
  return token ? {Authorization: `Bearer ${token}`} : {};
}

function link(state, text) {
  set($('link'), 'data-state', state);
  say($('link-text'), text);
}

function take(block) {
  const lines = block.split('\n');
  const name = lines.find(line => line.startsWith('event: '))?.slice(7);
  const data = lines.find(line => line.startsWith('data: '))?.slice(6);
  if (!data) return;
  const event = JSON.parse(data);
  takeRows(event, name === 'all');
  tell(event);
  link('live', `live · ${clock(event.now)}`);
  if (name === 'all' || (open && !rows.has(open))) choose();
  if (open && (name === 'all' || event.rows.some(row => row.key === open))) ask();
}

async function read(response, alive) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    alive();
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      take(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
}

async function askForToken(problem) {
  link('waiting', 'a token is needed');
  $('main').hidden = true;
  $('login').hidden = false;
  say($('login-problem'), problem);
  $('token').focus();
  await new Promise(given => $('login').addEventListener('submit', event => {
    event.preventDefault();
    given();
  }, {once: true}));
  token = $('token').value.trim();
  $('token').value = '';
  sessionStorage.setItem('scaledcache-token', token);
  $('login').hidden = true;
  $('main').hidden = false;
}

async function followOnce() {
  const end = new AbortController();
  let timer = 0;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => end.abort(), SILENCE);
  };
  alive();
  try {
    const response = await fetch('/api/events', {headers: door(), cache: 'no-store', signal: end.signal});
    if (response.status === 401) {
      clearTimeout(timer);
      await askForToken(token ? 'That is not the token of this page.' : '');
      return true;
    }
    if (!response.ok) throw new Error(await response.text());
    await read(response, alive);
  } catch (fault) {
    link('lost', `connection lost: ${fault.message || 'no answer'}`.slice(0, 90));
    return false;
  } finally {
    clearTimeout(timer);
  }
  link('lost', 'connection lost');
  return false;
}

async function follow() {
  for (;;) {
    const atOnce = await followOnce();
    if (!atOnce) await new Promise(over => setTimeout(over, 2000));
  }
}

buildFilters();
$('search').addEventListener('input', showRows);
$('list').addEventListener('keydown', onListKey);
$('list').addEventListener('focusin', event => {
  const key = order.find(name => rows.get(name).parts.link === event.target);
  if (key) moveStop(key);
});
document.addEventListener('keydown', onKey);
window.addEventListener('hashchange', choose);
follow();
