// The list of all ScaledCaches: made once, patched from then on.
import {clock, number} from './chart.js';
import {$, count, make, markOf, planned, say, set, STANDINGS} from './dom.js';

export const rows = new Map();  // key → {data, item, parts}
let order = [];          // keys, as they are shown
let filter = 'all';
let stop = null;         // the one row that Tab reaches
let told = false;        // the operator has said what there is
let nothing = '';        // what an empty list means

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
  say(parts.load, (data.rate ?? null) === null ? 'no data' : `${number(data.rate)} / ${number(limit)} req/s`);
  parts.fill.style.transform = `scaleX(${share.toFixed(3)})`;
  set(parts.bar, 'data-full', String(data.rate > limit));
  say(parts.count, data.replicas === data.desired ? String(data.replicas) : `${data.replicas} → ${data.desired}`);
  say(parts.serving, data.gated ? `${data.warm} warm` : `${data.ready} ready`);
  entry.data = data;
  entry.text = `${data.key} ${data.target} ${data.reason}`.toLowerCase();
}

function shows(entry) {
  return (filter === 'all' || entry.data.standing === filter) && entry.text.includes($('search').value.trim().toLowerCase());
}

export function showRows() {
  let shown = 0;
  for (const entry of rows.values()) {
    const visible = shows(entry);
    if (entry.item.hidden === visible) entry.item.hidden = !visible;
    shown += visible;
  }
  $('empty').hidden = shown > 0 || !told;
  say($('empty'), rows.size > 0 ? 'None of them fits. Empty the field, or choose "All", to see the rest.' : nothing);
  keepStop();
}

function keepStop() {
  const entry = rows.get(stop);
  if (entry && !entry.item.hidden) return;
  entry?.parts.link.setAttribute('tabindex', '-1');
  stop = order.find(key => !rows.get(key).item.hidden) ?? null;
  rows.get(stop)?.parts.link.setAttribute('tabindex', '0');
}

export function moveStop(key) {
  rows.get(stop)?.parts.link.setAttribute('tabindex', '-1');
  stop = key;
  rows.get(stop)?.parts.link.setAttribute('tabindex', '0');
}

export function takeRows(event, whole) {
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
  told = true;
  nothing = event.leads ? 'There is none yet. Apply the manifest of one, and it appears here at once.'
    : 'Forward the port of the pod that holds the lease: kubectl get lease -A names it.';
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

export function tell(event) {
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
  set(verdict, 'data-standing', tally.broken ? 'broken' : tally.attention || !event.leads ? 'attention' : 'good');
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

// Old numbers must not pass for new ones.
export function tellLost(since) {
  set($('verdict'), 'data-standing', 'broken');
  say($('verdict'), since ? `The operator does not answer. This is how it stood at ${clock(since)}.`
    : 'The operator does not answer yet.');
  document.title = '(?) ScaledCache';
}

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

export function buildList() {
  buildFilters();
  $('search').addEventListener('input', showRows);
  $('list').addEventListener('keydown', onListKey);
  $('list').addEventListener('focusin', event => {
    const key = order.find(name => rows.get(name).parts.link === event.target);
    if (key) moveStop(key);
  });
}
