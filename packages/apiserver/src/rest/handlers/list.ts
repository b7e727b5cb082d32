import { wrongMetadataForm } from '../../http/negotiation.ts';
import { parseListOptions } from '../list-options.ts';
import { listPage } from '../list-page.ts';
import { type Handler, type Target, answerList } from './target.ts';

/** Throws 406 for a form that only single objects have. */
export function checkListForm({ definition, form }: Target): void {
  if (form.as === 'PartialObjectMetadata') {
    throw wrongMetadataForm(form.as, `a list (*core.${definition.kind}List)`);
  }
}

export const list: Handler = async (target) => {
  const { server, definition, info } = target;
  checkListForm(target);
  const options = parseListOptions(info.query, definition, info.name, false);
  return answerList(target, await listPage(server, definition, info.namespace, options));
};
