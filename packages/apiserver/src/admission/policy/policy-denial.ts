import { type StatusCause, StatusError, forbidden } from '../../meta/status-error.ts';
import { groupResource } from '../../resources/resource-definition.ts';
import type { AdmissionRequest } from '../admission.ts';

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

/**
 * The refusal of a request. The text says "forbidden" whatever the reason is, because the real server changes
 * only the code and the reason.
 */
export function denial(request: AdmissionRequest, message: string, reason: string): StatusError {
  const causes: StatusCause[] = [{ message }];
  const { status } = forbidden(groupResource(request.definition), nameOf(request), message, causes);
  return new StatusError(codes[reason] ?? 422, reason, status.message ?? '', status.details);
}

/** The name for the refusal. The deletion of a collection has none. */
export function nameOf({ name, object }: AdmissionRequest): string {
  if (name !== '') {
    return name;
  }
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  return own !== '' ? own : generateName !== '' ? generateName : 'Unknown';
}
