/**
 * Adds the stack frames of the caller to errors. An error is often created far from the call: in the commit of another
 * request, or ten frames deep in the engine. Its own stack then seldom contains the line of the program that called.
 */
import { isStorageError } from '../base/errors.ts'

type Method = (...given: unknown[]) => unknown

/** One error object answers every call after a failed write, so it must not get the frames of one caller. */
const sharedCodes = ['StoreFailed', 'ReadOnly'] as const

const namedCaller = new WeakSet<Error>()

/** Wraps the methods, and those of nested objects. If a wrapped method rejects, the error shows the caller's frames. */
export function withCallerFrames<T extends object>(methods: T): T {
  const wrapped: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(methods)) {
    if (typeof value === 'function') wrapped[name] = showingCaller(value as Method)
    else wrapped[name] = typeof value === 'object' && value !== null ? withCallerFrames(value as object) : value
  }
  return wrapped as T
}

function showingCaller(method: Method): Method {
  return (...given) => {
    const answer = method(...given)
    // Not awaited in another async function, which would cost a short read a tenth of its time.
    return answer instanceof Promise ? answer.then(undefined, rejectWithCaller) : answer
  }
}

function rejectWithCaller(error: unknown): never {
  addCaller(error)
  throw error
}

function addCaller(error: unknown): void {
  if (!isStorageError(error) || isStorageError(error, ...sharedCodes) || namedCaller.has(error)) return
  namedCaller.add(error)
  // In the handler of a promise, V8 lists the async functions that wait for the promise.
  const frames = (new Error('Where the call came from.').stack ?? '').split('\n').filter(isCallers)
  const { stack = '' } = error
  const missing = frames.filter((frame) => !stack.includes(frame))
  if (missing.length > 0) error.stack = [stack, ...missing].join('\n')
}

const isCallers = (line: string): boolean => /^\s+at /.test(line) && !/\b(addCaller|rejectWithCaller) \(/.test(line)
