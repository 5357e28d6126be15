/** Commits that are written together: one buffer, one write, one sync. */
import type { Commit, Seq } from '@varve/core'
import type { LogPosition } from './log-position.ts'
import { bodyCrc, bodySizes, type BodySizes, type LoggedRow, writeBody } from './record-body.ts'
import { linkOf, recordHeaderLength, writeRecordHeader } from './record-header.ts'

/** A commit as the log stores it. */
export interface LoggedCommit {
  readonly segment: number
  readonly offset: number
  /** The last event before the commit, and the number of events in it. */
  readonly head: Seq
  readonly events: number
  readonly rows: readonly LoggedRow[]
}

export interface EncodedGroup {
  readonly bytes: Buffer
  readonly commits: readonly LoggedCommit[]
  readonly end: LogPosition
}

export interface EncodeOptions {
  /** The initial value for the checksums of the segment's records. */
  readonly seed: number
  /** Values of this length or more stay in the log. */
  readonly longFrom: number
  /** Returns the memory to write into. The next group overwrites it. */
  readonly buffer: (length: number) => Buffer
}

export function encodeGroup(commits: readonly Commit[], start: LogPosition, options: EncodeOptions): EncodedGroup {
  const sizes = commits.map((commit) => bodySizes(commit, options.longFrom))
  const bytes = options.buffer(sizes.reduce((total, each) => total + recordLength(each), 0))
  const logged: LoggedCommit[] = []
  let position = start
  for (const [i, commit] of commits.entries()) {
    const size = sizes[i] as BodySizes
    const at = position.offset - start.offset
    const record = bytes.subarray(at, at + recordLength(size))
    const { segment, offset, head } = position
    const rows = writeBody({ record, segment, offset, longFrom: options.longFrom }, commit, size)
    const header = {
      offset,
      group: start.offset,
      events: commit.events.length,
      rows: rows.length,
      metaLength: size.meta,
      eventsLength: size.events,
      valuesLength: size.values,
      bodyCrc: bodyCrc(record, size),
      head,
      previous: position.link,
    }
    writeRecordHeader(record, header, options.seed)
    logged.push({ segment, offset, head, events: commit.events.length, rows })
    position = { segment, offset: offset + record.length, head: head + commit.events.length, link: linkOf(record) }
  }
  return { bytes, commits: logged, end: position }
}

const recordLength = ({ meta, events, values }: BodySizes): number => recordHeaderLength + meta + events + values
