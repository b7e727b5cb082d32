import { wrongMetadataForm } from '../../http/negotiation.ts';
import { parseListOptions } from '../list-options.ts';
import { listPage } from '../list-page.ts';
import { type Handler, answerList } from './target.ts';

export const list: Handler = async (target) => {
  const { server, definition, info, form } = target;
  if (form.as === 'PartialObjectMetadata') {
    throw wrongMetadataForm(form.as, `a list (*core.${definition.kind}List)`);
  }
  const options = parseListOptions(info.query, definition, info.name, false);
  return answerList(target, await listPage(server, definition, info.namespace, options));
};
