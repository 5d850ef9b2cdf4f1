// Every hostile app begins with this. An attempt succeeded when what it does comes back as true; whatever else happens,
// an exception, a refusal, nothing at all for a second, is the same to it. What leaves the browser is counted outside.
const results = [];

function attempt(kind, name, act) {
  const nothing = new Promise((resolve) => setTimeout(resolve, 1000, false));
  const outcome = new Promise((resolve) => resolve(act(canary(kind, name))));
  return Promise.race([outcome, nothing])
    .then(
      (succeeded) => ({ kind, name, succeeded: succeeded === true }),
      () => ({ kind, name, succeeded: false }),
    )
    .then((result) => results.push(result));
}

/** Addresses that nobody else asks for. */
function canary(kind, name) {
  const path = `canary-${kind}-${name.replace(/[^a-z0-9]/gi, '-')}`.toLowerCase();
  return { url: `${LISTENER}/${path}`, host: `${path}.canary.example`, path };
}

function loads(element, attribute, url) {
  return new Promise((resolve, reject) => {
    element.addEventListener('load', () => resolve(true));
    element.addEventListener('error', reject);
    element[attribute] = url;
    document.body.append(element);
  });
}

function make(name, members = {}) {
  return Object.assign(document.createElement(name), members);
}

function run(attempts) {
  window.finished = Promise.all(attempts()).then(() => results);
}
/** With the activation that a click of a person gives. */
function runOnClick(attempts) {
  const button = make('button', { id: 'go', textContent: 'Continue' });
  button.addEventListener('click', () => run(attempts), { once: true });
  document.body.append(button);
}
