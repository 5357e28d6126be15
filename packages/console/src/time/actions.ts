/** Events of one request are one action of a person or a program. */

import type { Page } from '../components/use-pages.ts'
import type { Connection } from '../transport/connection.ts'
import { actionText } from './action-text.ts'
import { loadLogPage, type LogEvent } from './events.ts'

export interface Action {
  readonly by: LogEvent['by']
  readonly requestId: string | undefined
  /** The position of its first event. */
  readonly first: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly events: number
  /** What was done, such as `deleted 48 objects, the first is a.txt`. */
  readonly text: string
}

/** Events of one request, in the order of the log. */
export type Group = readonly [LogEvent, ...LogEvent[]]

/** How far the log was read, backwards. */
export interface Walk {
  readonly before: number
  /** Events of requests that may have older ones, the newest first. */
  readonly open: readonly LogEvent[]
}

/** A request has no older event if none is among so many positions before its first one. If it has, `actionsOf` adds that. */
const gapMax = 5000
const eventsAtOnce = 1000
/** A page has so many actions, or fewer after so many requests. */
const actionsAtOnce = 20
const requestsMax = 20

/**
 * The next older requests, the latest first, each with all of its events.
 * @param onProgress Called with the number of events that were found.
 */
export async function loadGroups(
  connection: Connection,
  scope: { readonly bucket: string; readonly prefix: string },
  { from, onProgress }: { readonly from: Walk | undefined; readonly onProgress: (events: number) => void },
  signal: AbortSignal,
): Promise<Page<Group, Walk>> {
  const backwards = [...(from?.open ?? [])]
  let before = from?.before
  for (let requests = 1; ; requests++) {
    const page = await loadLogPage(connection, { ...scope, before, limit: eventsAtOnce }, signal)
    backwards.push(...page.events)
    onProgress(backwards.length)
    if (page.next === undefined) return { entries: groupsOf(backwards.toReversed()).toReversed() }
    before = page.next
    const end = before + gapMax
    const groups = groupsOf(backwards.toReversed())
    const whole = groups.filter(([first]) => first.seq >= end).toReversed()
    if (whole.length < actionsAtOnce && (whole.length === 0 || requests < requestsMax)) continue
    const open = groups.filter(([first]) => first.seq < end).flat()
    return { entries: whole, next: { before, open: open.toSorted((a, b) => b.seq - a.seq) } }
  }
}

/** The actions of groups that were loaded. A request that went on after a long pause is in several groups. */
export function actionsOf(groups: readonly Group[]): readonly Action[] {
  const byName = new Map<string, Group>()
  for (const group of groups) {
    const name = nameOf(group[0])
    const later = byName.get(name)
    byName.set(name, later === undefined ? group : [...group, ...later])
  }
  return Array.from(byName.values(), actionOf)
}

const nameOf = ({ requestId, seq }: LogEvent): string => requestId ?? `event ${seq}`

function groupsOf(events: readonly LogEvent[]): readonly Group[] {
  const groups = new Map<string, [LogEvent, ...LogEvent[]]>()
  for (const event of events) {
    const group = groups.get(nameOf(event))
    if (group === undefined) groups.set(nameOf(event), [event])
    else group.push(event)
  }
  return [...groups.values()]
}

function actionOf(events: Group): Action {
  const [first] = events
  return {
    by: first.by,
    requestId: first.requestId,
    first: first.seq,
    at: first.at,
    events: events.length,
    text: actionText(events),
  }
}
