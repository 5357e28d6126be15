/**
 * Joined files that were cut off while they were written. A writer deletes files when the log that joins them is there, so those that such
 * a file was to join are there too, and it hides nothing of them.
 */
import { lastCounting, type LinePart, type LineStart } from './replica-line.ts'

export interface JoinedParts {
  readonly log: LinePart[]
  readonly rows: readonly LinePart[]
}

/** A file, and the last of its events that counts. */
interface Span {
  readonly part: LinePart
  readonly to: number
}

/** Of all files, or of those that have events of one of them too. */
interface Spans {
  readonly log: readonly Span[]
  readonly rows: readonly Span[]
}

/** @param isWhole called for few files: those without which nothing would be missing, and what they could be replaced by */
export async function withoutCutOffJoins(
  { log, rows }: JoinedParts,
  starts: readonly LineStart[],
  isWhole: (part: LinePart) => Promise<boolean>,
): Promise<JoinedParts & { readonly cutOff: readonly LinePart[] }> {
  const cutOff = new Set<LinePart>()
  const spansOf = (parts: readonly LinePart[]): readonly Span[] =>
    parts.map((part) => ({ part, to: lastCounting(part, starts) })).sort((a, b) => a.part.from - b.part.from)
  const all = { log: spansOf(log), rows: spansOf(rows) }
  const leaveOut = async (spans: readonly Span[], isNeeded: (span: Span, beside: Spans) => boolean): Promise<void> => {
    const joined = spans.filter(({ part }) => part.level > 0).toSorted((a, b) => b.part.level - a.part.level)
    for (const span of joined) {
      const isBeside = (other: Span): boolean =>
        other.part !== span.part && !cutOff.has(other.part) && overlap(other, span)
      const beside = { log: all.log.filter(isBeside), rows: all.rows.filter(isBeside) }
      if (isNeeded(span, beside) || (await isWhole(span.part))) continue
      if (!isNeeded(span, await wholeOf(beside, isWhole))) cutOff.add(span.part)
    }
  }
  await leaveOut(all.log, (span, beside) => !isCovered(span, beside.log))
  await leaveOut(all.rows, (span, beside) => isJoined(span, beside) && !isCovered(span, holders(span, beside)))
  const left = (parts: readonly LinePart[]): LinePart[] => parts.filter((part) => !cutOff.has(part))
  return { log: left(log), rows: left(rows), cutOff: [...cutOff] }
}

async function wholeOf({ log, rows }: Spans, isWhole: (part: LinePart) => Promise<boolean>): Promise<Spans> {
  const whole = async (some: readonly Span[]): Promise<readonly Span[]> => {
    const found: Span[] = []
    for (const span of some) if (await isWhole(span.part)) found.push(span)
    return found
  }
  return { log: await whole(log), rows: await whole(rows) }
}

/** Whether others have all events of the file that count. `others`: in the order of their first events. */
function isCovered({ part, to }: Span, others: readonly Span[]): boolean {
  let next = part.from
  for (const other of others) {
    if (other.part.from > next) break
    next = Math.max(next, other.to + 1)
  }
  return next > to
}

/** Short bytes are joined before their events. As long as these are not, the files that had the bytes are there. */
const isJoined = (span: Span, { log }: Spans): boolean => log.some((other) => other.part.level >= span.part.level)

/** Files that have the short bytes of all of their events, as far as these are not in the given one alone. */
const holders = (span: Span, { log, rows }: Spans): readonly Span[] =>
  [
    ...log.filter(({ part }) => part.level === 0),
    ...rows.filter((other) => other.part.level <= span.part.level || encloses(other, span)),
  ].sort((a, b) => a.part.from - b.part.from)

const overlap = (one: Span, other: Span): boolean => one.part.from <= other.to && other.part.from <= one.to

const encloses = (one: Span, other: Span): boolean => one.part.from <= other.part.from && other.to <= one.to
