import { type Answer, success } from '../../http/answer.ts';
import { notFound } from '../../meta/status-error.ts';
import type { TypeIdentity } from '../../resources/decode-object.ts';
import {
  type ActionServer,
  type ResourceDefinition,
  type SubresourceAction,
  groupResource,
  keyspaceOf,
} from '../../resources/resource-definition.ts';
import { admitAction } from '../admit-action.ts';
import type { WriteOptions } from '../create-object.ts';
import { deleteObject } from '../delete-object.ts';
import { checkName, ensureNamespace } from '../path-identity.ts';
import { readObject } from '../read-object.ts';
import { servedObject } from '../stored-form.ts';
import { updateObject } from '../update-object.ts';
import { parseWriteQuery } from '../write-options.ts';
import { writeStatus } from '../write-status.ts';
import { type Target, answerObject, answerOther, decodeSent, writeOptions } from './target.ts';

/**
 * Runs an action of the kind: what is sent is decoded here, and the kind's definition says what is done with
 * it.
 */
export async function act(target: Target, action: SubresourceAction): Promise<Answer> {
  const { definition, info } = target;
  const isCreate = info.verb === 'create';
  const query = parseWriteQuery(info.query, isCreate ? 'CreateOptions' : 'UpdateOptions');
  const body = decodeSent(target, identityOf(definition, action), query);
  ensureNamespace(definition, body, info.namespace);
  if (!isCreate) {
    checkName(body, info.name);
  }
  const result = await action.serve(body, actionServer(target, action, writeOptions(target, query)));
  switch (result.kind) {
    case 'done':
      return answerOther(target, 201, success(undefined, 201), 'meta.v1.Status');
    case 'created':
      return answerOther(target, 201, result.object, action.struct);
    case 'updated':
      return answerObject(target, 200, result.object);
  }
}

function identityOf(definition: ResourceDefinition, action: SubresourceAction): TypeIdentity {
  const { group = definition.group, version = definition.version, kind, struct } = action;
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, struct };
}

function actionServer(
  { server, definition, info: { namespace, name } }: Target,
  action: SubresourceAction,
  options: WriteOptions,
): ActionServer {
  const { isDryRun, user, warn } = options;
  return {
    name,
    namespace,
    isDryRun,
    now: server.now,
    async admit(object) {
      const admitted = { name: action.name, operation: 'CREATE' } as const;
      await admitAction(server, definition, admitted, name, object, undefined, options);
    },
    current: () => readObject(server, definition, namespace, name),
    read: (other, otherName) => readObject(server, other, namespace, otherName),
    list: (other) =>
      server.storage.list(keyspaceOf(other), namespace).map((entry) => servedObject(other, entry.object)),
    writeStatus: (other, object) => writeStatus(server, other, object),
    async change(as, make) {
      const write = {
        namespace,
        name,
        isDryRun,
        user,
        warn,
        isReplace: false,
        isSystemWrite: true,
        isAdmitted: true,
        ...(as === 'status' ? { subresource: as } : { subresource: action.name, prepare: () => undefined }),
      };
      const { object } = await updateObject(server, definition, write, (existing) => {
        if (existing === undefined) {
          throw notFound(groupResource(definition), name);
        }
        return make(existing);
      });
      return object;
    },
    async replace(body, prepare) {
      const write = { ...options, name, subresource: action.name, isReplace: true, prepare };
      const { object } = await updateObject(server, definition, write, () => body);
      return object;
    },
    async delete(deletion) {
      const given = { ...deletion, propagationPolicy: undefined, sent: {}, isAdmitted: true };
      await deleteObject(server, definition, namespace, name, given, user, warn);
    },
    issueToken: server.issueToken,
  };
}
