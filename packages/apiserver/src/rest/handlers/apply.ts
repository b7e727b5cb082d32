import { applyConfiguration, applyConverted } from '../../managed-fields/field-manager.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { badRequest, conflict } from '../../meta/status-error.ts';
import { identityOf } from '../../resources/decode-object.ts';
import { groupResource } from '../../resources/resource-definition.ts';
import { decodeApplied, parseConfiguration } from '../apply-configuration.ts';
import { duplicateKeyProblem } from '../duplicate-key.ts';
import { checkName } from '../path-identity.ts';
import { updateObject } from '../update-object.ts';
import { parseWriteQuery } from '../write-options.ts';
import { type Handler, answerObject, writeOptions } from './target.ts';

/**
 * Called for strict validation only. Without it the last value counts, and there is no warning: the real
 * server's has two lines, which a header cannot hold.
 */
function refuseDuplicateKeys(body: Buffer): void {
  const problem = duplicateKeyProblem(body);
  if (problem !== undefined) {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problem}`);
  }
}

/** Server-side apply. Creates the object if it does not exist. */
export const apply: Handler = async (target) => {
  const { server, definition, info } = target;
  const query = parseWriteQuery(info.query, 'PatchOptions', true);
  const identity = identityOf(definition);
  const config = parseConfiguration(target.body, identity);
  const writer = { name: query.fieldManager, subresource: info.subresource, now: server.now() };
  const { namespace, isDryRun, user, sentOptions, warn } = writeOptions(target, query);
  // Field ownership is computed below, so the write itself records none.
  const options = {
    namespace,
    isDryRun,
    user,
    sentOptions: sentOptions ?? {},
    warn,
    name: info.name,
    subresource: info.subresource,
    isReplace: false,
    mayCreate: true,
    keepsNulls: true,
  };
  const { object, isCreated } = await updateObject(server, definition, options, (existing) => {
    const decode = (applied: JsonObject): KubeObject => {
      if (query.fieldValidation === 'Strict') {
        refuseDuplicateKeys(target.body);
      }
      const decoded = decodeApplied(applied, config, identity);
      if (existing === undefined && decoded.metadata.uid !== undefined) {
        const problem = `uid mismatch: the provided object specified uid ${decoded.metadata.uid}, and no existing object was found`;
        throw conflict(groupResource(definition), info.name, problem);
      }
      checkName(decoded, info.name);
      return decoded;
    };
    const isForced = query.force === true;
    return definition.askedConversion === undefined
      ? decode(applyConfiguration(definition, existing, config, writer, isForced))
      : applyConverted(definition, existing, config, writer, isForced).then(decode);
  });
  return answerObject(target, isCreated ? 201 : 200, object);
};
