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
  const leaveOut = async (spans: readonly Span[], isNeeded: (span: Span, others: Spans) => boolean): Promise<void> => {
    const joined = spans.filter(({ part }) => part.level > 0).toSorted((a, b) => b.part.level - a.part.level)
    for (const span of joined) {
      const isThere = ({ part }: Span): boolean => !cutOff.has(part)
      const others = { log: all.log.filter(isThere), rows: all.rows.filter(isThere) }
      if (isNeeded(span, others) || (await isWhole(span.part))) continue
      if (!isNeeded(span, await wholeBeside(span, others, isWhole))) cutOff.add(span.part)
    }
  }
  await leaveOut(all.log, (span, others) => !isCovered(span, others.log))
  await leaveOut(all.rows, (span, others) => isJoined(span, others) && !isCovered(span, holders(span, others)))
  const left = (parts: readonly LinePart[]): LinePart[] => parts.filter((part) => !cutOff.has(part))
  return { log: left(log), rows: left(rows), cutOff: [...cutOff] }
}

/** Of the files with events of this one, those that are whole. */
async function wholeBeside(span: Span, spans: Spans, isWhole: (part: LinePart) => Promise<boolean>): Promise<Spans> {
  const whole = async (some: readonly Span[]): Promise<readonly Span[]> => {
    const found: Span[] = []
    for (const other of some)
      if (other.part !== span.part && overlap(other, span) && (await isWhole(other.part))) found.push(other)
    return found
  }
  return { log: await whole(spans.log), rows: await whole(spans.rows) }
}

/** Whether others have all events of the file that count. `spans`: in the order of their first events. */
function isCovered({ part, to }: Span, spans: readonly Span[]): boolean {
  let next = part.from
  for (const other of spans) {
    if (other.part.from > next) break
    if (other.part !== part) next = Math.max(next, other.to + 1)
  }
  return next > to
}

/** Short bytes are joined before their events. As long as these are not, the files that had the bytes are there. */
const isJoined = (span: Span, { log }: Spans): boolean =>
  log.some((other) => other.part.level >= span.part.level && overlap(other, span))

/** Files that have the short bytes of all of their events, as far as these are not in the given one alone. */
const holders = (span: Span, { log, rows }: Spans): readonly Span[] =>
  [
    ...log.filter(({ part }) => part.level === 0),
    ...rows.filter((other) => other.part.level <= span.part.level || encloses(other, span)),
  ].sort((a, b) => a.part.from - b.part.from)

const overlap = (one: Span, other: Span): boolean => one.part.from <= other.to && other.part.from <= one.to

const encloses = (one: Span, other: Span): boolean => one.part.from <= other.part.from && other.to <= one.to
