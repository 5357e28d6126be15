/** The observed time, in a small file that is replaced atomically. An unreadable file counts as missing. */
import type { ObservedTime, TimeDoubt, TimeGap, TimeMark, TimeRecord } from '@varve/core'
import { readSmallFile, replaceFile } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { type SealedFields, sealJson, unsealJson } from './sealed-json.ts'

/** `write` rejects with `NoSpace` or `JournalFailed`, and the earlier record stays. Writes run one after another. */
export function fileTimeRecord(path: string, { fs = nodeFileSystem }: { readonly fs?: FileSystem } = {}): TimeRecord {
  let turn: Promise<unknown> = Promise.resolve()
  return {
    async read() {
      const text = await readSmallFile(fs, path).catch(() => undefined)
      return text === undefined ? undefined : observedTimeOf(unsealJson(text) ?? {})
    },
    write(time) {
      const writing = turn.then(() =>
        onMedium('JournalFailed', 'Keeping the time', () => replaceFile(fs, path, sealJson(fieldsOf(time)))),
      )
      turn = writing.catch(() => undefined)
      return writing
    },
  }
}

const fieldsOf = ({ believed, locks, ran, opened, doubt, gaps, marks }: ObservedTime): SealedFields => ({
  believed: Math.floor(believed),
  locks: Math.floor(locks),
  ran: Math.floor(ran),
  opened,
  ...(doubt && { doubt: [doubt.seq, ...(doubt.ran === undefined ? [] : [Math.floor(doubt.ran)])] }),
  gaps: gaps.map(({ seq, ran: after, from, ms }) => [seq, ...[after, from, ms].map(Math.floor)]),
  // `at` is rounded up, so that retention is never shortened.
  marks: marks.map(({ seq, from, at, log }) => [
    seq,
    Math.floor(from),
    Math.ceil(at),
    ...(log === undefined ? [] : [log]),
  ]),
})

function observedTimeOf({ believed, locks, ran, opened, doubt, gaps, marks }: SealedFields): ObservedTime | undefined {
  const doubts: unknown = doubt === undefined ? [] : [doubt]
  if (!areNumbers([believed, locks, ran, opened]) || !isTable(doubts, [1, 2])) return undefined
  if (!isTable(gaps, [4]) || !isTable(marks, [3, 4])) return undefined
  const [doubted] = doubts.map(([seq, after]) => ({ seq, ...(after !== undefined && { ran: after }) }) as TimeDoubt)
  return {
    believed: believed as number,
    locks: locks as number,
    ran: ran as number,
    opened: opened as number,
    ...(doubted && { doubt: doubted }),
    gaps: gaps.map(([seq, after, from, ms]) => ({ seq, ran: after, from, ms }) as TimeGap),
    marks: marks.map(([seq, from, at, log]) => ({ seq, from, at, ...(log !== undefined && { log }) }) as TimeMark),
  }
}

const areNumbers = (values: readonly unknown[]): boolean => values.every((value) => Number.isSafeInteger(value))

const isTable = (value: unknown, columns: readonly number[]): value is readonly (readonly number[])[] =>
  Array.isArray(value) &&
  value.every((row: unknown) => Array.isArray(row) && columns.includes(row.length) && areNumbers(row))
