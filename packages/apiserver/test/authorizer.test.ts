import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AccessRequest } from '../src/auth/access-request.ts';
import { type Authorizer, createAuthorizer } from '../src/auth/authorizer.ts';
import type { JsonObject } from '../src/meta/json.ts';
import { createStorage, type Storage } from '../src/storage/storage.ts';
import type { UserInfo } from '../src/auth/user-info.ts';

const rbac = 'rbac.authorization.k8s.io';
const alice: UserInfo = { name: 'alice', uid: '', groups: ['devs', 'system:authenticated'] };

function listPods(namespace: string): AccessRequest {
  return {
    kind: 'resource',
    verb: 'list',
    group: '',
    resource: 'pods',
    subresource: '',
    namespace,
    name: '',
  };
}

describe('authorizer', () => {
  let storage: Storage;
  let authorizer: Authorizer;

  beforeEach(() => {
    storage = createStorage();
    authorizer = createAuthorizer(storage);
  });
  afterEach(() => authorizer.stop());

  function put(kind: string, namespace: string, name: string, content: JsonObject): void {
    const metadata = namespace === '' ? { name } : { name, namespace };
    storage.put(`${rbac}/${kind.toLowerCase()}s`, { kind, apiVersion: `${rbac}/v1`, metadata, ...content });
  }
  function putRole(kind: 'Role' | 'ClusterRole', namespace: string, name: string): void {
    put(kind, namespace, name, { rules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }] });
  }
  function bind(namespace: string, roleKind: string, ...subjects: JsonObject[]): void {
    const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
    put(kind, namespace, 'b', { subjects, roleRef: { apiGroup: rbac, kind: roleKind, name: 'r' } });
  }
  const isAllowed = (namespace: string, user = alice): boolean =>
    authorizer.authorize(user, listPods(namespace)).isAllowed;

  test('no bindings -> nobody but system:masters', () => {
    expect(authorizer.authorize(alice, listPods('a'))).toEqual({ isAllowed: false, reason: '' });
    expect(isAllowed('a', { name: 'root', uid: '', groups: ['system:masters'] })).toBe(true);
  });

  test('role bound in a namespace -> there and nowhere else', () => {
    putRole('Role', 'a', 'r');
    bind('a', 'Role', { kind: 'User', name: 'alice' });
    expect([isAllowed('a'), isAllowed('b'), isAllowed('')]).toEqual([true, false, false]);
  });

  test('cluster role bound in a namespace -> there and nowhere else', () => {
    putRole('ClusterRole', '', 'r');
    bind('a', 'ClusterRole', { kind: 'Group', name: 'devs' });
    expect([isAllowed('a'), isAllowed('b'), isAllowed('')]).toEqual([true, false, false]);
  });

  test('cluster role bound cluster-wide -> everywhere, the reason names the first subject that applies', () => {
    putRole('ClusterRole', '', 'r');
    bind(
      '',
      'ClusterRole',
      { kind: 'User', name: 'bob' },
      { kind: 'Group', name: 'devs' },
      { kind: 'User', name: 'alice' },
    );
    expect([isAllowed('a'), isAllowed('b'), isAllowed('')]).toEqual([true, true, true]);
    expect(authorizer.authorize(alice, listPods('a')).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "devs"',
    );
  });

  test('user named like a group -> not a member', () => {
    putRole('ClusterRole', '', 'r');
    bind('', 'ClusterRole', { kind: 'User', name: 'devs' });
    expect(isAllowed('a')).toBe(false);
  });

  test('service account without namespace -> the one beside the role binding', () => {
    putRole('Role', 'a', 'r');
    bind('a', 'Role', { kind: 'ServiceAccount', name: 's' });
    const account = (namespace: string): UserInfo => ({
      name: `system:serviceaccount:${namespace}:s`,
      uid: '',
      groups: [],
    });
    expect(isAllowed('a', account('a'))).toBe(true);
    expect(isAllowed('a', account('b'))).toBe(false);
  });

  test.each(['Role', 'Binding'])('%s deleted -> allowed no more; made again -> allowed', (which) => {
    const make = (): void => {
      putRole('Role', 'a', 'r');
      bind('a', 'Role', { kind: 'User', name: 'alice' });
    };
    make();
    expect(isAllowed('a')).toBe(true);
    if (which === 'Role') {
      storage.remove(`${rbac}/roles`, 'a', 'r');
    } else {
      storage.remove(`${rbac}/rolebindings`, 'a', 'b');
    }
    expect(isAllowed('a')).toBe(false);
    make();
    expect(isAllowed('a')).toBe(true);
  });

  test('bindings to missing roles -> refused with each of them once; rules of the others still hold', () => {
    bind('a', 'Role', { kind: 'User', name: 'alice' });
    bind('', 'ClusterRole', { kind: 'User', name: 'alice' });
    expect(authorizer.authorize(alice, listPods('a')).reason).toBe(
      `RBAC: [clusterrole.${rbac} "r" not found, role.${rbac} "r" not found]`,
    );
    putRole('ClusterRole', '', 'r');
    expect(isAllowed('a')).toBe(true);
    expect(authorizer.rulesFor(alice, 'a')).toEqual({
      rules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }],
      problems: [`role.${rbac} "r" not found`],
    });
  });
});
