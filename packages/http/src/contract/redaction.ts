/**
 * Removes secrets from answers and logs: customer keys (`…-customer-key`, of an object or of a copy's source), their
 * digests and session tokens. Wherever an error would contain one, in any spelling, it contains `…`. In signed texts
 * and forms they are found by name; in any other error by value.
 */

import { isStorageError, StorageError } from '@varve/core'
import { inspect } from 'node:util'
import { isS3Error, S3Error } from '../errors/errors.ts'
import { percentEncode } from '../target/percent.ts'
import type { WireRequest } from './wire-request.ts'

export const redacted = '…'

const secretName = 'x-(?:amz|svc)-(?:(?:copy-source-)?server-side-encryption-customer-key(?:-md5)?|security-token)'
const wholeName = new RegExp(`^${secretName}$`, 'i')
const inHeaderLine = new RegExp(`^(${secretName}:)[^\\n]*`, 'gim')
const inQuery = new RegExp(`((?:^|&)${secretName}=)[^&\\n]*`, 'gim')

/** Whether the value of this header, parameter or field is secret. Accepts either spelling and any case. */
export const isSecretName = (name: string): boolean => wholeName.test(name)

/** A signed text (header lines and query) without the values of secret names. */
export const withoutSecretsByName = (signed: string): string =>
  signed.replace(inHeaderLine, `$1${redacted}`).replace(inQuery, `$1${redacted}`)

/** Shorter values are not keys, and would match unrelated text. */
const secretMin = 8

type Pairs = Iterable<readonly [name: string, value: string]>

/** Returns the error without the secrets of the request, or the same error if it contains none. */
export function withoutSecrets(error: unknown, request: Pick<WireRequest, 'rawHeaders' | 'rawUrl'>): unknown {
  return withoutValues(error, [...headersOf(request.rawHeaders), ...parametersOf(request.rawUrl)])
}

/** Like `withoutSecrets`, for the fields of a form. */
export function withoutValues(error: unknown, pairs: Pairs): unknown {
  const spellings = [...pairs].flatMap(([name, value]) => (isSecretName(name) ? spellingsOf(value) : []))
  if (spellings.length === 0) return error
  const inspected = inspect(error, { depth: 8, maxStringLength: Number.POSITIVE_INFINITY, showHidden: true })
  if (!spellings.some((spelling) => inspected.includes(spelling))) return error
  const clean = (text: string): string => spellings.reduce((left, one) => left.replaceAll(one, redacted), text)
  return cleaned(error, clean)
}

/** Causes are left out, since their texts are unknown. */
function cleaned(error: unknown, clean: (text: string) => string): Error {
  if (isS3Error(error)) {
    const { code, message, details, headers } = error
    return new S3Error(code, clean(message), { details: cleanedValues(details, clean), headers })
  }
  if (isStorageError(error)) {
    const { code, message, details, hint } = error
    return new StorageError(code, clean(message), {
      details: cleanedValues(details, clean),
      hint: hint === undefined ? undefined : clean(hint),
    })
  }
  return new Error(clean(error instanceof Error ? error.message : String(error)))
}

const cleanedValues = <V>(values: Readonly<Record<string, V>>, clean: (text: string) => string): Record<string, V> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? (clean(value) as V) : value]),
  )

/** The value as sent, trimmed, and percent-encoded; the longest first, so that no part of one remains. */
function spellingsOf(value: string): readonly string[] {
  const plain = [value, value.trim(), decoded(value)]
  const all = [...plain, ...plain.map(percentEncode), ...plain.map((text) => JSON.stringify(text).slice(1, -1))]
  return [...new Set(all)].filter(({ length }) => length >= secretMin).sort((a, b) => b.length - a.length)
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function* headersOf(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? '']
}

function* parametersOf(rawUrl: string): Generator<readonly [string, string]> {
  const mark = rawUrl.indexOf('?')
  if (mark === -1) return
  for (const pair of rawUrl.slice(mark + 1).split('&')) {
    const [name = '', ...rest] = pair.split('=')
    yield [decoded(name), rest.join('=')]
  }
}
