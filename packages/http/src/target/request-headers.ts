/**
 * Request headers from Node's flat list, where nothing is lost: repeats stay visible. `x-svc-…` is a second spelling of
 * every `x-amz-…` header; a request may use either, but not both with different values.
 */

import { S3Error } from '../errors.ts'

export interface RequestHeaders {
  /** Lower-case names as sent, each once; spellings are not merged. */
  readonly names: readonly string[]
  /** The values of one spelling, in order, one byte per character. */
  values(name: string): readonly string[]
  /** True when either spelling was sent. `name` in lower case. */
  has(name: string): boolean
  /**
   * The value under either spelling; repeats are joined by `,`. `name` in lower case.
   * @throws S3Error `InvalidRequest` when the two spellings disagree.
   */
  get(name: string): string | undefined
  /**
   * Like `get`, for headers that mean nothing when repeated.
   * @throws S3Error `InvalidRequest` when the header was sent twice, even with equal values.
   */
  single(name: string): string | undefined
  /** Headers whose name starts with `prefix` (`x-amz-…`, either spelling), by the rest of their name, in order. */
  withPrefix(prefix: string): ReadonlyMap<string, string>
}

/**
 * @param rawHeaders Node's `rawHeaders`: name, value, name, value.
 * @param hoisted Headers that a presigned URL carries in its query: see `Verified.hoisted`.
 */
export function createRequestHeaders(
  rawHeaders: readonly string[],
  hoisted: readonly (readonly [name: string, value: string])[] = [],
): RequestHeaders {
  const byName = new Map<string, string[]>()
  const add = (name: string, value: string) => {
    const values = byName.get(name)
    if (values === undefined) byName.set(name, [value])
    else values.push(value)
  }
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) add((rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? '')
  for (const [name, value] of hoisted) {
    const sent = byName.get(name)
    if (sent === undefined) add(name, value)
    else if (sent.join(',') !== value) throw disagreement(name)
  }

  const get = (name: string): string | undefined => {
    const value = byName.get(name)?.join(',')
    const twin = byName.get(twinOf(name) ?? '')?.join(',')
    if (value !== undefined && twin !== undefined && value !== twin) throw disagreement(name)
    return value ?? twin
  }
  return {
    names: [...byName.keys()],
    values: (name) => byName.get(name) ?? [],
    has: (name) => byName.has(name) || byName.has(twinOf(name) ?? ''),
    get,
    single(name) {
      const twin = twinOf(name)
      for (const spelling of twin === undefined ? [name] : [name, twin]) {
        if ((byName.get(spelling)?.length ?? 0) > 1) {
          throw new S3Error('InvalidRequest', `The header ${spelling} was sent more than once.`)
        }
      }
      return get(name)
    },
    withPrefix(prefix) {
      const found = new Map<string, string>()
      for (const name of byName.keys()) {
        const canonical = canonicalHeaderName(name)
        if (canonical.startsWith(prefix)) found.set(canonical.slice(prefix.length), get(canonical) ?? '')
      }
      return found
    },
  }
}

/** `x-svc-foo` → `x-amz-foo`; every other name as it is. `name` in lower case. */
export function canonicalHeaderName(name: string): string {
  return name.startsWith('x-svc-') ? `x-amz-${name.slice(6)}` : name
}

function twinOf(name: string): string | undefined {
  if (name.startsWith('x-amz-')) return `x-svc-${name.slice(6)}`
  if (name.startsWith('x-svc-')) return `x-amz-${name.slice(6)}`
  return undefined
}

function disagreement(name: string): S3Error {
  return new S3Error('InvalidRequest', `The header ${name} was sent in two spellings with different values.`)
}
