/**
 * Joined files that were cut off while they were written. A writer deletes files when the log that joins them is there, so those that such
 * a file was to join are there too, and it hides nothing of them.
 */
import { lastCounting, type LinePart, type LineStart } from './replica-line.ts'

export interface JoinedParts {
  readonly log: LinePart[]
  readonly rows: readonly LinePart[]
}

/**
 * Only files that are not needed are looked at.
 * @param isDamaged whether a file is not whole
 */
export async function withoutCutOffJoins(
  { log, rows }: JoinedParts,
  starts: readonly LineStart[],
  isDamaged: (part: LinePart) => Promise<boolean>,
): Promise<JoinedParts & { readonly cutOff: readonly LinePart[] }> {
  const cutOff = new Set<LinePart>()
  const leaveOut = async (parts: readonly LinePart[], isNeeded: (part: LinePart) => boolean): Promise<void> => {
    for (const part of parts.filter(({ level }) => level > 0).toSorted((a, b) => b.level - a.level))
      if (!isNeeded(part) && (await isDamaged(part))) cutOff.add(part)
  }
  const spans = log.map((part) => ({ part, to: lastCounting(part, starts) })).sort((a, b) => a.part.from - b.part.from)
  await leaveOut(log, (part) => !isCovered({ part, to: lastCounting(part, starts) }, spans, cutOff))
  const leftLog = log.filter((part) => !cutOff.has(part))
  await leaveOut(
    rows,
    (part) => isJoined(part, leftLog) && !rows.some((other) => !cutOff.has(other) && has(other, part)),
  )
  return { log: leftLog, rows: rows.filter((part) => !cutOff.has(part)), cutOff: [...cutOff] }
}

interface Span {
  readonly part: LinePart
  /** The last event of the file that counts. */
  readonly to: number
}

/** Whether others have all events of the file that count. `spans`: of all files, in the order of their first events. */
function isCovered({ part, to }: Span, spans: readonly Span[], cutOff: ReadonlySet<LinePart>): boolean {
  let next = part.from
  for (const other of spans) {
    if (other.part.from > next) break
    if (other.part !== part && !cutOff.has(other.part)) next = Math.max(next, other.to + 1)
  }
  return next > to
}

/** Short bytes are joined before their events. As long as these are not, the files that had the bytes are there. */
const isJoined = ({ level, from, to }: LinePart, log: readonly LinePart[]): boolean =>
  log.some((part) => part.level >= level && part.from <= to && from <= part.to)

const has = (other: LinePart, part: LinePart): boolean =>
  other !== part && other.level >= part.level && other.from <= part.from && part.to <= other.to
