/**
 * Request headers from Node's flat list, which keeps repeated headers. `x-svc-…` is a second spelling of every
 * `x-amz-…` header. A request may use either, but not both with different values.
 */

import { S3Error } from '../errors/errors.ts'

export interface RequestHeaders {
  /** Lower-case names as sent, each once. The two spellings are listed separately. */
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
   * Like `get`, for headers that have no meaning when repeated.
   * @throws S3Error `InvalidRequest` when the header was sent twice, even with equal values.
   */
  single(name: string): string | undefined
  /** Throws as `single` does for each of these names. */
  assertSingle(names: readonly string[]): void
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
  const headers = new SentHeaders()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    headers.add((rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? '')
  for (const [name, value] of hoisted) {
    const sent = headers.values(name)
    if (sent.length === 0) headers.add(name, value)
    else if (sent.join(',') !== value) throw disagreement(name)
  }
  return headers
}

class SentHeaders implements RequestHeaders {
  readonly #byName = new Map<string, string[]>()
  /** True if a header has the `x-svc-` spelling. Most clients do not use it, so the other spelling is not looked up. */
  #usesTwins = false

  readonly names: string[] = []
  #isRepeated = false

  add(name: string, value: string): void {
    const values = this.#byName.get(name)
    if (values === undefined) {
      this.#byName.set(name, [value])
      this.names.push(name)
      this.#usesTwins ||= name.startsWith('x-svc-')
    } else {
      values.push(value)
      this.#isRepeated = true
    }
  }

  values(name: string): readonly string[] {
    return this.#byName.get(name) ?? []
  }

  has(name: string): boolean {
    return this.#byName.has(name) || this.#twin(name) !== undefined
  }

  get(name: string): string | undefined {
    if (!this.#usesTwins) return joined(this.#byName.get(name))
    const value = joined(this.#byName.get(name))
    const twin = joined(this.#twin(name))
    if (value !== undefined && twin !== undefined && value !== twin) throw disagreement(name)
    return value ?? twin
  }

  single(name: string): string | undefined {
    if (this.#isRepeated) this.#assertSingle(name)
    return this.get(name)
  }

  assertSingle(names: readonly string[]): void {
    if (this.#isRepeated || this.#usesTwins) for (const name of names) this.single(name)
  }

  #assertSingle(name: string): void {
    if ((this.#byName.get(name)?.length ?? 0) > 1) throw repeated(name)
    if ((this.#twin(name)?.length ?? 0) > 1) throw repeated(twinOf(name) ?? name)
  }

  withPrefix(prefix: string): ReadonlyMap<string, string> {
    const found = new Map<string, string>()
    for (const name of this.names) {
      const canonical = canonicalHeaderName(name)
      if (canonical.startsWith(prefix)) found.set(canonical.slice(prefix.length), this.get(canonical) ?? '')
    }
    return found
  }

  /** The values under the other spelling. */
  #twin(name: string): readonly string[] | undefined {
    const twin = this.#usesTwins ? twinOf(name) : undefined
    return twin === undefined ? undefined : this.#byName.get(twin)
  }
}

const joined = (values: readonly string[] | undefined): string | undefined =>
  values === undefined || values.length > 1 ? values?.join(',') : values[0]

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

function repeated(name: string): S3Error {
  return new S3Error('InvalidRequest', `The header ${name} was sent more than once.`)
}
