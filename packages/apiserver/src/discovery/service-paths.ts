import type { Answer } from '../http/answer.ts';
import { methodNotAllowed, unknownResource } from '../meta/status-error.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { healthPaths } from './health.ts';

/*
 * The paths that are not about resources, and the errors of the real server's router for requests that it
 * does not answer there.
 */

const issuerPath = '/.well-known/openid-configuration';
const keysPath = '/openid/v1/jwks';
const otherPaths = ['/metrics', '/openapi/v2', '/openapi/v3', keysPath, '/version'];

/**
 * Checks a request for one of the paths that this server itself answers. They answer only GET, and know all
 * paths below them.
 *
 * @throws 405 for another method, 404 for an unknown path below
 */
export function checkService(registry: ResourceRegistry, method: string, path: string): void {
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  const [root = '', group = '', version = ''] = parts;
  const isCore = root === 'api' && (parts.length === 1 || registry.hasGroupVersion('', group));
  const isBuiltIn = root === 'apis' && parts.length === 3 && registry.isBuiltIn(group);
  const isVersion = root === 'version' && parts.length === 1;
  if (
    (root === 'api' && !isCore) ||
    (isBuiltIn && !registry.hasGroupVersion(group, version)) ||
    (root === 'version' && !isVersion)
  ) {
    throw unknownResource();
  }
  const isService = isCore || isBuiltIn || isVersion || path === issuerPath || path === keysPath;
  if (isService && method !== 'GET') {
    throw methodNotAllowed();
  }
}

/** Answers `/` with all paths that are not about resources, in order. */
export function answerIndex(registry: ResourceRegistry): Answer {
  const groups = new Set<string>();
  for (const { group, version } of registry.all) {
    if (group === '') {
      groups.add(`/api/${version}`);
    } else {
      groups.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
    }
  }
  const paths = [issuerPath, '/api', '/apis', '/apis/', ...groups, ...healthPaths(), ...otherPaths];
  const text = JSON.stringify({ paths: paths.toSorted() }, null, 2);
  return { kind: 'bytes', code: 200, bytes: Buffer.from(text), contentType: 'application/json' };
}
