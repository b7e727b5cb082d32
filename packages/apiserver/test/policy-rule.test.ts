import { describe, expect, test } from '@jest/globals';
import { type AccessRequest, accessOf } from '../src/auth/access-request.ts';
import { ruleAllows } from '../src/auth/policy-rule.ts';
import { parseRequest } from '../src/http/request-info.ts';
import type { PolicyRule } from '../src/resources/rbac.ts';

const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

describe('rule over resources', () => {
  test.each<[string, Partial<PolicyRule>, string, string, boolean]>([
    ['all as named', {}, 'GET', '/api/v1/namespaces/a/pods/p', true],
    ['verb not named', {}, 'DELETE', '/api/v1/namespaces/a/pods/p', false],
    ['list is not get', {}, 'GET', '/api/v1/namespaces/a/pods', false],
    ['deletecollection is not delete', { verbs: ['delete'] }, 'DELETE', '/api/v1/namespaces/a/pods', false],
    ['watch is not list', { verbs: ['list'] }, 'GET', '/api/v1/pods?watch=true', false],
    ['every verb', { verbs: ['*'] }, 'DELETE', '/api/v1/namespaces/a/pods/p', true],
    ['no verbs', { verbs: null }, 'GET', '/api/v1/namespaces/a/pods/p', false],
    ['group not named', {}, 'GET', '/apis/apps/v1/namespaces/a/pods/p', false],
    ['every group', { apiGroups: ['*'] }, 'GET', '/apis/x.io/v1/namespaces/a/pods/p', true],
    ['no groups', { apiGroups: [] }, 'GET', '/api/v1/namespaces/a/pods/p', false],
    ['resource does not cover its subresource', {}, 'GET', '/api/v1/namespaces/a/pods/p/status', false],
    ['subresource', { resources: ['pods/status'] }, 'GET', '/api/v1/namespaces/a/pods/p/status', true],
    ['subresource alone', { resources: ['pods/status'] }, 'GET', '/api/v1/namespaces/a/pods/p', false],
    [
      'subresource of every resource',
      { resources: ['*/status'] },
      'GET',
      '/api/v1/namespaces/a/pods/p/status',
      true,
    ],
    ['another subresource', { resources: ['*/scale'] }, 'GET', '/api/v1/namespaces/a/pods/p/status', false],
    [
      '*/x does not cover the resource',
      { resources: ['*/pods'] },
      'GET',
      '/api/v1/namespaces/a/pods/p',
      false,
    ],
    ['pods/* is no pattern', { resources: ['pods/*'] }, 'GET', '/api/v1/namespaces/a/pods/p/status', false],
    ['every resource, subresource', { resources: ['*'] }, 'GET', '/api/v1/namespaces/a/pods/p/log', true],
    ['name named', { resourceNames: ['p'] }, 'GET', '/api/v1/namespaces/a/pods/p', true],
    ['name not named', { resourceNames: ['q'] }, 'GET', '/api/v1/namespaces/a/pods/p', false],
    ['star is no name', { resourceNames: ['*'] }, 'GET', '/api/v1/namespaces/a/pods/p', false],
    ['collection, names named', { verbs: ['list'], resourceNames: ['p'] }, 'GET', '/api/v1/pods', false],
    [
      'collection of the named name',
      { verbs: ['watch'], resourceNames: ['p'] },
      'GET',
      '/api/v1/pods?watch=1&fieldSelector=metadata.name%3Dp',
      true,
    ],
    [
      'create has no name',
      { verbs: ['create'], resourceNames: ['p'] },
      'POST',
      '/api/v1/namespaces/a/pods',
      false,
    ],
    [
      'URLs do not cover resources',
      { resources: [], nonResourceURLs: ['*'] },
      'GET',
      '/api/v1/namespaces/a/pods/p',
      false,
    ],
  ])('%s', (_, change, method, url, expected) => {
    expect(ruleAllows({ ...pods, ...change }, accessOf(parseRequest(method, url)))).toBe(expected);
  });
});

describe('rule over paths', () => {
  test.each<[string[], string, boolean]>([
    [['/healthz'], '/healthz', true],
    [['/healthz'], '/healthz/', false],
    [['/healthz'], '/healthz/etcd', false],
    [['/healthz/*'], '/healthz/etcd/more', true],
    [['/healthz/*'], '/healthz', false],
    [['/health*'], '/healthz', true],
    [['*'], '/', true],
    [['/a/*/c'], '/a/b/c', false],
    [['/x', '/y'], '/y', true],
    [[], '/y', false],
  ])('%j, %s -> %s', (nonResourceURLs, path, expected) => {
    const access: AccessRequest = { kind: 'path', verb: 'get', path };
    expect(ruleAllows({ verbs: ['get'], nonResourceURLs }, access)).toBe(expected);
    expect(ruleAllows({ verbs: ['post'], nonResourceURLs }, access)).toBe(false);
  });

  test('resources do not cover paths', () => {
    const all: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    expect(ruleAllows(all, accessOf(parseRequest('GET', '/metrics')))).toBe(false);
  });
});

describe('what a request asks for', () => {
  test.each<[string, string, Partial<Extract<AccessRequest, { kind: 'resource' }>>]>([
    ['GET', '/api/v1/namespaces/a', { verb: 'get', resource: 'namespaces', namespace: 'a', name: 'a' }],
    [
      'PUT',
      '/api/v1/namespaces/a/finalize',
      { resource: 'namespaces', subresource: 'finalize', namespace: 'a' },
    ],
    ['GET', '/api/v1/namespaces', { verb: 'list', namespace: '', name: '' }],
    [
      'DELETE',
      '/api/v1/namespaces/a/pods?fieldSelector=metadata.name==p',
      { verb: 'deletecollection', name: '' },
    ],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name!=p', { verb: 'list', name: '' }],
    ['GET', '/api/v1/pods?fieldSelector=broken', { verb: 'list', name: '' }],
    [
      'GET',
      '/apis/apps/v1/namespaces/a/statefulsets/s/scale',
      { group: 'apps', subresource: 'scale', name: 's' },
    ],
  ])('%s %s', (method, url, expected) => {
    expect(accessOf(parseRequest(method, url))).toMatchObject({ kind: 'resource', ...expected });
  });
});
