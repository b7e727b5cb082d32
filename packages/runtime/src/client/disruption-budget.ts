import { ApiError } from './api-error.ts';

/**
 * 429 with cause DisruptionBudget: a PodDisruptionBudget keeps the pod. It might do so for hours, whereas
 * other 429 responses are about load.
 */
export const isKeptByBudget = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 429 && budgetsIn(error).length > 0;

/**
 * Returns why the budgets keep the pod, in the API server's words, or the message of the error if they give
 * none.
 */
export function reasonOfBudget(error: ApiError): string {
  const words = budgetsIn(error).flatMap(({ message }) => message ?? []);
  return words.length === 0 ? error.message : words.join('; ');
}

function budgetsIn({ status }: ApiError) {
  return (status.details?.causes ?? []).filter(({ reason }) => reason === 'DisruptionBudget');
}
