/** Parses values of options. Each parser throws commander's own error, which names the option. */
import { type EventType, eventTypes, isStorageError, type Moment } from '@varve/core'
import type { RateLimit } from '@varve/http'
import { InvalidArgumentError } from 'commander'
import { pathOf } from '../../files/paths.ts'
import { parseMachineMoment } from '../../moments/machine-moment.ts'

const known: ReadonlySet<string> = new Set(eventTypes)
const digits = /^\d{1,15}$/
const duration = /^(\d{1,9})(ms|s|min|h|d|w)$/
const unitBytes = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const
/** The units of durations, in milliseconds. */
export const unitMs = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
/** What follows the number of a duration, in words. */
export const durationForm = 'a number with ms, s, min, h, d or w'

/** A position in the log. */
export function parseSeq(text: string): number {
  if (!digits.test(text)) throw new InvalidArgumentError('A position in the log is a whole number.')
  return Number(text)
}

/** A tip of the log: `42:` and the SHA-256 of event 42, base64url. */
export function parseTip(text: string): { readonly seq: number; readonly hash: string } {
  const [, seq = '', hash = ''] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? []
  if (Number(seq) < 1) throw new InvalidArgumentError('A tip is a position and a hash, as verify --json reports them.')
  return { seq: Number(seq), hash }
}

/** A moment: `42`, `2026-08-01T12:00:00Z`, `2h ago`, `yesterday 18:00`. Times without a zone are local. */
export function parseMoment(text: string): Moment {
  try {
    return parseMachineMoment(text)
  } catch (error) {
    if (isStorageError(error)) throw new InvalidArgumentError(error.message)
    throw error
  }
}

/** 0 lets the system choose a free port. */
export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}

const rate = /^(\d{1,7}(?:\.\d{1,3})?)(?:\/(\d{1,7}))?$/

/** Requests per second, with a burst if one is given: `50` or `50/200`. */
export function parseRate(text: string): RateLimit {
  const [, perSecond = '0', burst] = rate.exec(text) ?? []
  const limit = { perSecond: Number(perSecond), ...(burst !== undefined && { burst: Number(burst) }) }
  const isPossible = ({ perSecond: each, burst: most = 1 }: RateLimit): boolean =>
    each >= 0.001 && each <= 1e6 && most >= 1 && most <= 1e6
  if (isPossible(limit)) return limit
  throw new InvalidArgumentError('A rate is a number of requests per second, with a burst or without: 50 or 50/200.')
}

/** As `parseRate` reads it. */
export const rateText = ({ perSecond, burst }: RateLimit): string =>
  burst === undefined ? String(perSecond) : `${perSecond}/${burst}`

const parseCount =
  (what: string) =>
  (text: string): number => {
    const count = Number(text)
    if (!/^\d{1,2}$/.test(text) || count > 64)
      throw new InvalidArgumentError(`A number of ${what} is one from 0 to 64.`)
    return count
  }

/** 0 and 1 both mean that the process itself answers requests. */
export const parseWorkers = parseCount('workers')
export const parseThreads = parseCount('threads')

/** A limit of connections or requests. */
export function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('A limit is a number from 1 to 9999999.')
  return Number(text)
}

/** A number of things that a bucket may have: 0 or more. */
export function parseTotal(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('It is a whole number, 0 or more.')
  return Number(text)
}

/** How many events a part of a log in PostgreSQL has. */
export function parsePartEvents(text: string): number {
  if (/^[1-9]\d{3,11}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A part of a log has a whole number of events, at least 1000.')
}

/** Milliseconds, from `0`, `500ms`, `45s`, `30min`, `12h`, `7d` or `2w`. Not from `3m`, which some read as months. */
export function parseDuration(text: string): number {
  if (text === '0') return 0
  const [, count = '', unit = ''] = duration.exec(text) ?? []
  if (unit === '') {
    const [, minutes] = /^(\d+)m$/.exec(text) ?? []
    const minutesForm =
      minutes === undefined ? '' : ` For minutes, write ${minutes}min; months have no unit: count the days.`
    throw new InvalidArgumentError(`A duration is 0 or ${durationForm}, such as 7d.${minutesForm}`)
  }
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** In the largest unit that has no remainder. */
export function durationText(ms: number): string {
  const [unit, size] = Object.entries(unitMs).findLast(([, each]) => ms % each === 0) ?? ['ms', 1]
  return ms === 0 ? '0' : `${ms / size}${unit}`
}

/** A number of bytes above 0, from `500`, `64KiB`, `10MiB` or `1GiB`. */
export function parseBytes(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,15})(|KiB|MiB|GiB)$/.exec(text) ?? []
  const bytes = Number(count) * unitBytes[unit as keyof typeof unitBytes]
  if (count === '' || bytes === 0 || !Number.isSafeInteger(bytes)) {
    throw new InvalidArgumentError('It is a number of bytes above 0, with KiB, MiB or GiB if you like, such as 10MiB.')
  }
  return bytes
}

/** The room for kept bytes: `10%` of the medium, or a number of bytes. */
export function parseBudget(text: string): { readonly percent: number } | { readonly bytes: number } {
  const [, share = ''] = /^(\d{1,3})%$/.exec(text) ?? []
  if (share === '') return { bytes: parseBytes(text) }
  const percent = Number(share)
  if (percent < 1 || percent > 100) throw new InvalidArgumentError('A share of the medium is 1% to 100%.')
  return { percent }
}

export function parseText(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** The path of a file or a directory, from a path or `file:///PATH`. */
export function parsePath(text: string): string {
  try {
    return pathOf('It', parseText(text))
  } catch (error) {
    if (isStorageError(error)) throw new InvalidArgumentError(error.message)
    throw error
  }
}

/** Labels of metrics and lines of logs have it, so it is short and has no blanks. */
export const nodeNamePattern = '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'

export function parseNodeName(text: string): string {
  if (new RegExp(nodeNamePattern).test(text)) return text
  throw new InvalidArgumentError('The name of a node has 1 to 128 letters, digits and . _ : -')
}

/** Collects the names of a repeated option; each may be several with commas between them. */
export const parseNames = (text: string, names: readonly string[] | undefined): readonly string[] => [
  ...(names ?? []),
  ...text.split(',').map((name) => parseText(name.trim().toLowerCase())),
]

/** Collects the addresses of a repeated option; each may be several with commas between them. */
export const parseAddresses = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  ...text.split(',').map((address) => parseText(address.trim())),
]

/** Collects the types of events of a repeated option; each may be several with commas between them. */
export function parseTypes(text: string, before: readonly EventType[] = []): readonly EventType[] {
  const types = text.split(',').map((type) => type.trim())
  const unknown = types.find((type) => !known.has(type))
  if (unknown === undefined) return [...before, ...(types as readonly EventType[])]
  throw new InvalidArgumentError(`There is no type of event ${JSON.stringify(unknown)}.`)
}

/** Collects `name=value` of a repeated option. */
export function parseMetadata(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError('Metadata has the form name=value.')
  return { ...before, [name]: value }
}
