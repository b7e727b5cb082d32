import { parseRevision, waitForRevision } from '../list-page.ts';
import { findConverted, findEntry } from '../read-object.ts';
import { servedJson, servedObject } from '../stored-form.ts';
import { objectJson } from '../write-form.ts';
import { entryProtobuf } from '../write-form-protobuf.ts';
import { type Handler, bytesAnswer, checkObjectForm } from './target.ts';

export const get: Handler = async (target) => {
  const { server, definition, info, form, include } = target;
  checkObjectForm(target);
  const wanted = parseRevision(info.query.get('resourceVersion') ?? '');
  if (wanted > 0) {
    await waitForRevision(server, wanted);
  }
  const entry =
    definition.askedConversion === undefined
      ? findEntry(server, definition, info.namespace, info.name)
      : await findConverted(server, definition, info.namespace, info.name);
  if (form.isProtobuf) {
    return bytesAnswer(target, 200, entryProtobuf(definition, entry, form));
  }
  const json =
    form.as === 'object'
      ? servedJson(definition, entry)
      : objectJson(definition, servedObject(definition, entry.object), form, include, server.now());
  return { kind: 'json', code: 200, json };
};
