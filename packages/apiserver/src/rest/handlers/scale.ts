import type { Answer } from '../../http/answer.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { identityOf } from '../../resources/decode-object.ts';
import { parseConfiguration } from '../apply-configuration.ts';
import { parsePatch, patchObject, patchTypeOf } from '../patch-object.ts';
import { checkName } from '../path-identity.ts';
import { findConverted } from '../read-object.ts';
import { applyScale, scaleIdentity, scaleOf, scalesOf, writeScale } from '../scale.ts';
import { servedObject } from '../stored-form.ts';
import { parseWriteQuery } from '../write-options.ts';
import {
  type Handler,
  type Target,
  answerObject,
  checkObjectForm,
  decodeSent,
  warnOfFindings,
  writeOptions,
} from './target.ts';

function answerScale(target: Target, scale: KubeObject): Answer {
  return answerObject({ ...target, definition: scalesOf(target.definition) }, 200, scale);
}

export const getScale: Handler = async (target) => {
  checkObjectForm({ ...target, definition: scalesOf(target.definition) });
  const { server, definition, info } = target;
  const entry = await findConverted(server, definition, info.namespace, info.name);
  const scale = scaleOf(definition, servedObject(definition, entry.object));
  return answerScale(target, scale);
};

export const updateScale: Handler = async (target) => {
  const { server, definition, info } = target;
  const query = parseWriteQuery(info.query, 'UpdateOptions');
  const sent = decodeSent(target, scaleIdentity, query);
  checkName(sent, info.name);
  const options = { ...writeOptions(target, query), writesWhole: true };
  const written = await writeScale(server, definition, info.name, () => sent, options);
  return answerScale(target, written);
};

export const patchScale: Handler = async (target) => {
  const { server, definition, info, mediaType } = target;
  // A kind of one's own takes no strategic merge patch, not even of its Scale.
  const type = patchTypeOf(mediaType, identityOf(definition));
  const query = parseWriteQuery(info.query, 'PatchOptions', type === 'apply');
  if (type === 'apply') {
    const config = parseConfiguration(target.body, scaleIdentity);
    const options = { ...writeOptions(target, query), manager: query.fieldManager };
    const applied = await applyScale(server, definition, info.name, config, query.force === true, options);
    return answerScale(target, applied);
  }
  const body = parsePatch(target.body, type);
  const make = (existing: KubeObject): KubeObject => {
    const decoded = patchObject(existing, body, scaleIdentity, query.fieldValidation);
    if (query.fieldValidation === 'Warn') {
      warnOfFindings(target, decoded.findings);
    }
    return decoded.object;
  };
  const options = { ...writeOptions(target, query), writesWhole: false };
  const written = await writeScale(server, definition, info.name, make, options);
  return answerScale(target, written);
};
