import { jsonAnswer } from '../../http/answer.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { parseConfiguration } from '../apply-configuration.ts';
import { parsePatch, patchObject, patchTypeOf } from '../patch-object.ts';
import { checkName } from '../path-identity.ts';
import { readObject } from '../read-object.ts';
import { applyScale, scaleIdentity, scaleOf, writeScale } from '../scale.ts';
import { parseWriteQuery } from '../write-options.ts';
import { type Handler, decodeSent, warnOfFindings, writeOptions } from './target.ts';

export const getScale: Handler = ({ server, definition, info }) =>
  Promise.resolve(
    jsonAnswer(200, scaleOf(definition, readObject(server, definition, info.namespace, info.name))),
  );

export const updateScale: Handler = async (target) => {
  const { server, definition, info, warnings } = target;
  const query = parseWriteQuery(info.query, 'UpdateOptions');
  const sent = decodeSent(target, scaleIdentity, query);
  checkName(sent, info.name);
  const options = { ...writeOptions(target, query), writesWhole: true };
  const written = await writeScale(server, definition, info.name, () => sent, options);
  return jsonAnswer(200, written, [...warnings]);
};

export const patchScale: Handler = async (target) => {
  const { server, definition, info, mediaType, warnings } = target;
  const type = patchTypeOf(mediaType, scaleIdentity);
  const query = parseWriteQuery(info.query, 'PatchOptions', type === 'apply');
  if (type === 'apply') {
    const config = parseConfiguration(target.body, scaleIdentity);
    const options = { ...writeOptions(target, query), manager: query.fieldManager };
    const applied = await applyScale(server, definition, info.name, config, query.force === true, options);
    return jsonAnswer(200, applied, [...warnings]);
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
  return jsonAnswer(200, written, [...warnings]);
};
