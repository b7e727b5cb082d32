import { ApiError, isForbidden } from '@holdfast/runtime';

/** Resolves with what was asked for, or with `Unread` if it may not be read. */
export async function unlessForbidden<T, const Unread>(
  asked: Promise<T>,
  unread: Unread,
): Promise<T | Unread> {
  try {
    return await asked;
  } catch (error) {
    if (isForbidden(error)) {
      return unread;
    }
    throw error;
  }
}

/** Undefined if the server does not serve the kind. */
export async function unlessNotServed<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) {
      return undefined;
    }
    throw error;
  }
}

/** Undefined if it may not be read, or if the server does not serve the kind. */
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
