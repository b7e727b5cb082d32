import { readFileSync } from 'node:fs';

// An import of node:http reads each export of it, and so loads Node's fetch: half of what a start takes, and dozens are started.
const { createServer, request: httpRequest } = process.getBuiltinModule('node:http');

/*
 * An operator for the tests of the perturbation runner, in a process of its own: each config map with label `copy` has
 * a copy of its data in the config map `<name>-copy`, which goes with it. Its last arguments say what it does wrong:
 *
 * - `trusts-cache`: deletes a copy whose source is not in its cache, without asking the API server.
 * - `edge-triggered`: deletes a copy when it is sent the deletion of its source, and at no other time.
 * - `marks-first`: marks the source as copied before it writes the copy, and never looks at a marked one again.
 * - `counts-first`: counts the copies that it writes in a config map, before it writes them.
 * - `forgets`: what has failed is not tried again.
 * - `takes-409-for-done`: takes any conflict for a copy that is there already.
 * - `orders-last`: orders paper when the copy is there, and never for a copy that is there already.
 *
 * Where it is given a shop (`--shop=URL`), it orders paper for a copy before it writes it.
 */
const [kubeconfigFile, elects, ...faults] = process.argv.slice(2);
const does = (fault) => faults.includes(fault);
const shop = faults.find((fault) => fault.startsWith('--shop='))?.slice('--shop='.length);
const { clusters, users } = JSON.parse(readFileSync(kubeconfigFile, 'utf8'));
const { server } = clusters[0].cluster;
const { token } = users[0].user;
const maps = '/api/v1/namespaces/shop/configmaps';
const leases = '/apis/coordination.k8s.io/v1/namespaces/shop/leases';
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @returns the answer, of whatever code; of a watch, when it has ended. */
function send(method, path, body, onLine) {
  return new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const sent = httpRequest(server + path, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
        if (onLine !== undefined && response.statusCode === 200) {
          const lines = text.split('\n');
          text = lines.pop();
          lines.forEach((line) => onLine(JSON.parse(line)));
        }
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ code: response.statusCode, object: text === '' ? {} : JSON.parse(text) });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** @throws for an answer that is no success, unless its reason is allowed. */
async function call(method, path, body, ...allowed) {
  const { code, object } = await send(method, path, body);
  if (code >= 300 && !allowed.includes(object.reason)) {
    throw new Error(`${method} ${path}: ${code}`);
  }
  return code >= 300 ? undefined : object;
}

/** @throws when the shop does not answer 200. */
async function orderPaper(name) {
  if (shop === undefined) {
    return;
  }
  const { status } = await fetch(`${shop}/${name}`, { method: 'PUT', headers: { connection: 'close' } });
  if (status !== 200) {
    throw new Error(`no paper: ${status}`);
  }
}

/** The config maps as they were sent. */
const cache = new Map();
/** Sources to look at. */
const dirty = new Set();
let isSynced = false;
let isWorking = false;
let leads = elects === 'false';

const isSource = (object) => object?.metadata.labels?.copy !== undefined;
const find = (name) => call('GET', `${maps}/${name}`, undefined, 'NotFound');

async function reconcile(name) {
  const source = cache.get(name);
  const copy = `${name}-copy`;
  if (!isSource(source)) {
    const isOver = does('trusts-cache') || ((await find(copy)) && !(await find(name)));
    if (cache.has(copy) && isOver && !does('edge-triggered')) {
      await call('DELETE', `${maps}/${copy}`, undefined, 'NotFound');
    }
    return;
  }
  if (does('marks-first')) {
    if (source.metadata.annotations?.copied === 'yes') {
      return;
    }
    await call('PATCH', `${maps}/${name}`, { metadata: { annotations: { copied: 'yes' } } });
  }
  if ((await find(copy)) === undefined) {
    if (does('counts-first')) {
      const { data } = await find('count');
      await call('PATCH', `${maps}/count`, { data: { copies: String(Number(data.copies) + 1) } });
    }
    if (!does('orders-last')) {
      await orderPaper(copy);
    }
    const done = does('takes-409-for-done') ? ['AlreadyExists', 'Conflict'] : ['AlreadyExists'];
    await call('POST', maps, { metadata: { name: copy }, data: source.data }, ...done);
    if (does('orders-last')) {
      await orderPaper(copy);
    }
  }
}

async function work() {
  if (isWorking || !leads || !isSynced) {
    return;
  }
  isWorking = true;
  while (dirty.size > 0) {
    const [name] = dirty;
    dirty.delete(name);
    try {
      await reconcile(name);
    } catch {
      if (!does('forgets')) {
        await pause(5);
        dirty.add(name);
      }
    }
  }
  isWorking = false;
}

function touch({ metadata: { name } }) {
  dirty.add(name.replace(/-copy$/, ''));
  void work();
}

async function list() {
  const { items, metadata } = await call('GET', `${maps}?resourceVersion=0`);
  const lost = [...cache.values()];
  cache.clear();
  items.forEach((object) => cache.set(object.metadata.name, object));
  isSynced = true;
  [...lost, ...items].forEach(touch);
  return metadata.resourceVersion;
}

/** Resolves when the watch has ended. @returns the version to go on from; undefined: it is too old. */
async function watch(from) {
  let next = from;
  const { code } = await send('GET', `${maps}?watch=true&resourceVersion=${from}`, undefined, (event) => {
    const { type, object } = event;
    next = type === 'ERROR' ? undefined : object.metadata.resourceVersion;
    if (type === 'ERROR') {
      return;
    }
    if (type === 'DELETED') {
      cache.delete(object.metadata.name);
      if (does('edge-triggered') && isSource(object)) {
        void call('DELETE', `${maps}/${object.metadata.name}-copy`, undefined, 'NotFound');
      }
    } else {
      cache.set(object.metadata.name, object);
    }
    touch(object);
  });
  return code === 200 ? next : undefined;
}

async function follow() {
  let from;
  do {
    try {
      from = await watch(from ?? (await list()));
    } catch {
      from = undefined;
    }
    await pause(5);
  } while (from !== undefined || !does('forgets'));
}

/** Two seconds, by its own clock, after the last renewal that it saw, a lease is over. */
async function elect() {
  const lease = `${leases}/copier`;
  let seen = { version: '', at: 0 };
  for (; ; await pause(50)) {
    try {
      const held = await call('GET', lease, undefined, 'NotFound');
      const spec = { holderIdentity: String(process.pid), leaseDurationSeconds: 1 };
      if (held === undefined) {
        await call('POST', leases, { metadata: { name: 'copier' }, spec });
      } else if (held.spec.holderIdentity === spec.holderIdentity) {
        leads = true;
        await call('PUT', lease, { ...held, spec: { ...spec, leaseTransitions: Date.now() % 2 ** 31 } });
        void work();
      } else if (leads) {
        process.exit(1);
      } else if (seen.version !== held.metadata.resourceVersion) {
        seen = { version: held.metadata.resourceVersion, at: performance.now() };
      } else if (performance.now() - seen.at > 2000) {
        await call('PUT', lease, { ...held, spec });
      }
    } catch {
      // Another was faster, or the way is broken: the next look shows it.
    }
  }
}

const probe = createServer((request, response) => {
  response.end(JSON.stringify({ isIdle: isSynced && !isWorking && (!leads || dirty.size === 0), leads }));
});
probe.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${probe.address().port}\n`));
if (elects === 'true') {
  void elect();
}
void follow();
