// The status page: one stream of events keeps the list, the chosen ScaledCache is asked for by
// itself.
import {clock} from './chart.js';
import {$, say, set} from './dom.js';
import {buildList, moveStop, rows, showRows, takeRows, tell, tellLost} from './list.js';
import {buildDetail, patchDetail} from './one.js';

const SILENCE = 30000;  // the server says something every ten seconds

// ---- One ScaledCache ------------------------------------------------------------------------

let open = null;     // its key
let asking = false;  // one question at a time
let again = false;

function pathOf(key) {
  const [space, name] = key.split('/');
  return `/api/cache?namespace=${encodeURIComponent(space)}&name=${encodeURIComponent(name)}`;
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
  buildDetail(key, close);
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

let heard = 0;  // when the operator last said something, by its own clock
let token = sessionStorage.getItem('scaledcache-token') ?? '';

function door() {
  return token ? {Authorization: `Bearer ${token}`} : {};
}

function link(state, text) {
  set($('link'), 'data-state', state);
  say($('link-text'), text);
}

function lose(why) {
  link('lost', why ? `refused: ${why}`.slice(0, 90) : 'connection lost, trying again');
  document.body.dataset.lost = 'true';
  tellLost(heard);
}

function take(block) {
  const lines = block.split('\n');
  const name = lines.find(line => line.startsWith('event: '))?.slice(7);
  const data = lines.find(line => line.startsWith('data: '))?.slice(6);
  if (!data) return;
  const event = JSON.parse(data);
  takeRows(event, name === 'all');
  tell(event);
  heard = event.now;
  delete document.body.dataset.lost;
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
    if (!response.ok) {
      lose((await response.text()).trim());
      return false;
    }
    await read(response, alive);
  } catch {
    // Whatever broke it, the next lines say that it is broken.
  } finally {
    clearTimeout(timer);
  }
  lose('');
  return false;
}

async function follow() {
  for (;;) {
    const atOnce = await followOnce();
    if (!atOnce) await new Promise(over => setTimeout(over, 2000));
  }
}

buildList();
document.addEventListener('keydown', onKey);
window.addEventListener('hashchange', choose);
// The frame of the page is painted before the list is made.
requestAnimationFrame(() => setTimeout(follow));
