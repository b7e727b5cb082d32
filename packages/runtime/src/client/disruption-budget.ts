import { ApiError } from './api-error.ts';

/** 429 with cause DisruptionBudget: a PodDisruptionBudget keeps the pod. It may do so for hours, unlike the load that other answers of 429 are about. */
export const isKeptByBudget = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 429 && budgetsIn(error).length > 0;

/** Why the budgets keep the pod, in the API server's words; the message of the answer where there are none. */
export function reasonOfBudget(error: ApiError): string {
  const words = budgetsIn(error).flatMap(({ message }) => message ?? []);
  return words.length === 0 ? error.message : words.join('; ');
}

function budgetsIn({ status }: ApiError) {
  return (status.details?.causes ?? []).filter(({ reason }) => reason === 'DisruptionBudget');
}
