/**
 * The parameters of a query string, in order. The signature and the operation use the same pairs, so a parameter has
 * the same meaning for both.
 */

import { S3Error } from '../errors/errors.ts'
import { percentDecode } from './percent.ts'

export interface QueryParams {
  /** Every pair as sent, decoded once, in order. A name without `=` has the value ''. */
  readonly entries: readonly (readonly [name: string, value: string])[]
  has(name: string): boolean
  /**
   * The value, or `undefined` when the name is absent. Names are case-sensitive.
   * @throws S3Error `InvalidArgument` when the parameter was sent more than once.
   */
  get(name: string): string | undefined
}

/**
 * Parses a raw query, without its `?`. `+` means a space, as S3 reads parameters.
 * @throws S3Error `InvalidURI` for a bad escape or bytes that are not UTF-8.
 */
export function parseQuery(rawQuery: string): QueryParams {
  if (rawQuery === '') return noParams
  const entries: (readonly [name: string, value: string])[] = []
  const byName = new Map<string, string[]>()
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue
    const entry = parsePair(pair)
    const [name, value] = entry
    entries.push(entry)
    const values = byName.get(name)
    if (values === undefined) byName.set(name, [value])
    else values.push(value)
  }
  return {
    entries,
    has: (name) => byName.has(name),
    get(name) {
      const values = byName.get(name)
      if (values === undefined || values.length === 1) return values?.[0]
      throw new S3Error('InvalidArgument', 'A query parameter was given more than once.', {
        details: { ArgumentName: name },
      })
    },
  }
}

const noParams: QueryParams = { entries: [], has: () => false, get: () => undefined }

function parsePair(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=')
  if (equals === -1) return [decode(pair), '']
  return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
}

const meansItself = /^[\x00-\x24\x26-\x2a\x2c-\x7f]*$/

function decode(raw: string): string {
  return meansItself.test(raw) ? raw : percentDecode(raw.replaceAll('+', ' '))
}
