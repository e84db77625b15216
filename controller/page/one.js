// One ScaledCache: its load, its pods, and why it is the size it is.
import {Chart, clock, number} from './chart.js';
import {$, dotOf, make, markOf, planned, say, set, STANDINGS} from './dom.js';

let view = null;  // the elements that are patched

function card(title, ...children) {
  return make('section', {class: 'card', 'aria-label': title}, make('h3', {}, title), ...children);
}

function keyOf(kind, text) {
  return make('span', {class: kind}, make('i', {'aria-hidden': 'true'}), text);
}

export function buildDetail(key, onBack) {
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
  back.addEventListener('click', onBack);
  view.headline = make('div', {class: 'headline'}, back, view.mark, view.standing, view.title, view.target);
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
      make('table', {class: 'signals'}, head(['Signal', 'Health', 'Load', 'Peak', 'Per replica', 'Asks for', 'Sample age', 'Pods covered']), view.signals))),
    card('Conditions', make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of conditions'},
      make('table', {}, head(['Condition', 'Status', 'Reason', 'Message']), view.conditions))));
}

function figure(name, value, more = '') {
  return make('div', {}, make('dt', {}, name), make('dd', {}, value, ' ', make('small', {}, more)));
}

function seconds(ms) {
  if (ms < 60000 || (ms < 120000 && ms % 60000 !== 0)) return `${number(ms / 1000)} s`;
  const rest = Math.round(ms % 60000 / 1000);
  return `${Math.floor(ms / 60000)} min${rest ? ` ${rest} s` : ''}`;
}

export function patchDetail(data) {
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
    figure('Load', (data.rate ?? null) === null ? 'unknown' : number(data.rate), (data.rate ?? null) === null ? '' : 'req/s'),
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
    if (pod.message) facts.push(pod.message);
    else if (pod.hitPercent !== undefined) facts.push(`${pod.hitPercent} % hits`);
    if (pod.seconds !== undefined) facts.push(`${pod.state === 'Warming' ? 'for' : 'warm-up took'} ${seconds(Math.round(pod.seconds) * 1000)}`);
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
      cell(signal.rate === null ? '–' : `${Math.round(signal.coverage * 100)} %`));
  }));
}

function patchConditions(conditions) {
  view.conditions.replaceChildren(...conditions.map(condition => make('tr', {},
    make('th', {scope: 'row'}, condition.type), make('td', {}, condition.status),
    make('td', {}, condition.reason), make('td', {}, condition.message))));
}
