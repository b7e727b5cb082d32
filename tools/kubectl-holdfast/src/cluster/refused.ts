import { ApiError, isForbidden } from '@holdfast/runtime';

/** Undefined: it may not be read, or the server does not serve the kind. */
export async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isForbidden(error) || (error instanceof ApiError && error.code === 404)) {
      return undefined;
    }
    throw error;
  }
}
