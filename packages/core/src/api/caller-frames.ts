/**
 * Errors that name the line of the program that called. An error is often created far from the call, in the commit of another
 * request or behind ten frames of the engine, so its own stack seldom reaches the caller.
 */
import { isStorageError } from '../base/errors.ts'

type Method = (...given: unknown[]) => unknown

/** One error for all calls that come after a failed write: it belongs to no caller. */
const sharedCodes = ['StoreFailed', 'ReadOnly'] as const

const namedCaller = new WeakSet<Error>()

/** The same methods, and those of objects among them. What a method rejects with shows the frames of its caller. */
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
    return answer instanceof Promise ? named(answer) : answer
  }
}

/** The same promise, for a method that stands by itself. */
async function named<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    addCaller(error)
    throw error
  }
}

function addCaller(error: unknown): void {
  if (!isStorageError(error) || isStorageError(error, ...sharedCodes) || namedCaller.has(error)) return
  namedCaller.add(error)
  // Behind an `await`, the engine of JavaScript lists the functions that wait for this one.
  const frames = (new Error('Where the call came from.').stack ?? '').split('\n').filter(isCallers)
  const { stack = '' } = error
  const missing = frames.filter((frame) => !stack.includes(frame))
  if (missing.length > 0) error.stack = [stack, ...missing].join('\n')
}

const isCallers = (line: string): boolean => /^\s+at /.test(line) && !/\b(addCaller|named) \(/.test(line)
