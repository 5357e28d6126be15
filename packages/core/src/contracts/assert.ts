/** The assertions of the contract suites. A failure names the broken promise and the observation. */
import { compareBytes } from '../bytes/bytes.ts'
import { type ErrorCode, isStorageError } from '../base/errors.ts'

export function assert(condition: boolean, promise: string): asserts condition {
  if (!condition) throw new Error(`Contract broken: ${promise}`)
}

/** Equality of primitives. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  assert(Object.is(actual, expected), `${what}: expected ${String(expected)}, got ${String(actual)}`)
}

export function assertBytes(actual: Uint8Array | undefined, expected: Uint8Array | undefined, what: string): void {
  if (actual === undefined || expected === undefined) {
    assert(actual === expected, `${what}: expected ${show(expected)}, got ${show(actual)}`)
    return
  }
  assert(compareBytes(actual, expected) === 0, `${what}: expected ${show(expected)}, got ${show(actual)}`)
}

export function assertBytesList(
  actual: readonly (Uint8Array | undefined)[],
  expected: readonly (Uint8Array | undefined)[],
  what: string,
): void {
  assertEqual(actual.length, expected.length, `${what}, count`)
  for (const [i, bytes] of actual.entries()) assertBytes(bytes, expected[i], `${what} [${i}]`)
}

/** Runs `work`, which must fail with this error code. */
export async function assertCode(code: ErrorCode, work: () => Promise<unknown>, what: string): Promise<void> {
  const failure = await failureOf(work)
  assert(failure !== undefined, `${what}: expected ${code}, but it succeeded`)
  assert(isStorageError(failure.error, code), `${what}: expected ${code}, got ${String(failure.error)}`)
}

/** The error of `work`, whether it threw or rejected; `undefined` if it succeeded. */
export async function failureOf(work: () => Promise<unknown>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return { error }
  }
}

function show(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return 'nothing'
  const head = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${bytes.length} bytes ${head}${bytes.length > 16 ? '…' : ''}`
}
