/** `restore` and `undo`: back to a moment, and back from what this session did. */
import { type RestoreRequest, type RestoreResult, schema, type UndoRequest, type UndoResult } from '@varve/core'
import type { Session } from '../session/session.ts'
import { viewAt } from './past.ts'
import { planned, some } from './planned.ts'
import { confirmField, described, momentText, prefixField, tool } from './tool.ts'

const { object, optional, text } = schema

interface RestoreInput {
  readonly to: string
  readonly prefix?: string
  readonly confirm?: string
}

export const restoreTool = tool<RestoreInput>({
  name: 'restore',
  title: 'Restore objects',
  description:
    'Makes the objects beneath a prefix what they were at a moment, also where others have changed them. Without confirm it answers with a plan. Nothing of what happened since is lost.',
  hints: { destructiveHint: true },
  input: object<RestoreInput>({
    to: momentText('the state that comes back'),
    prefix: optional(prefixField),
    confirm: optional(confirmField),
  }),
  run(call, input) {
    const { session, store, signal, requestId } = call
    const request = (to: number): RestoreRequest => ({
      bucket: session.workspace.bucket,
      prefix: session.scope.keyOf(input.prefix ?? ''),
      to,
      onConflict: 'skip',
      inParts: true,
      signal,
    })
    return planned<RestoreResult>(call, input, {
      plan: async (moment) => {
        const { at } = await viewAt(call, moment === undefined ? input.to : String(moment))
        return store.restore({ ...request(at ?? (await store.position())), dryRun: true })
      },
      momentOf: ({ to }) => to,
      stateOf: ({ to, entries, erased }) => [
        to,
        entries.map(({ key, action, past, present }) => [key, action, past?.seq ?? 0, present?.seq ?? 0]),
        erased.map(({ key }) => key),
      ],
      isEmpty: ({ entries }) => entries.length === 0,
      show: (plan) => restored(session, plan),
      async make({ to, entries }) {
        session.spending.spend({ operations: entries.length })
        return { ...restored(session, await store.restore(request(to))), requestId }
      },
    })
  },
})

function restored({ scope }: Session, { to, entries, erased, conflicts }: RestoreResult): object {
  const keys = (of: RestoreResult['entries']) => some(of.map(({ key }) => scope.pathOf(key)))
  return {
    to,
    changes: some(entries.map(({ key, action }) => ({ key: scope.pathOf(key), action }))),
    ...(erased.length > 0 && { bytesErased: keys(erased) }),
    ...(conflicts.length > 0 && { left: keys(conflicts) }),
  }
}

interface UndoInput {
  readonly request?: string
  readonly since?: string
  readonly prefix?: string
  readonly confirm?: string
}

export const undoTool = tool<UndoInput>({
  name: 'undo',
  title: 'Undo changes of this session',
  description:
    'Takes back what this session did: all of it, one call of it, or what it did since a moment. Changes of others are never undone, and stay where they came later. Without confirm it answers with a plan.',
  hints: { destructiveHint: true },
  input: object<UndoInput>({
    request: optional(described(text({ min: 1, max: 256 }), 'only the call with this requestId')),
    since: optional(momentText('only what was done after this moment')),
    prefix: optional(prefixField),
    confirm: optional(confirmField),
  }),
  run(call, input) {
    const { session, store, signal, requestId } = call
    const request = (from: number | undefined): UndoRequest => ({
      by: session.actor.id,
      bucket: session.workspace.bucket,
      prefix: session.scope.keyOf(input.prefix ?? ''),
      onConflict: 'skip',
      inParts: true,
      signal,
      ...(input.request !== undefined && { requestId: input.request }),
      ...(from !== undefined && { from }),
    })
    const fromOf = async (moment: number | undefined): Promise<number | undefined> =>
      input.since === undefined ? undefined : (moment ?? (await viewAt(call, input.since)).at)
    let from: number | undefined
    return planned<UndoResult>(call, input, {
      plan: async (moment) => {
        from = await fromOf(moment)
        return store.undo({ ...request(from), dryRun: true })
      },
      momentOf: () => from ?? 0,
      stateOf: ({ entries, conflicts, erased }) => [entries, conflicts, erased],
      isEmpty: ({ entries }) => entries.length === 0,
      show: (plan) => undone(session, plan),
      async make({ planned: to, entries }) {
        session.spending.spend({ operations: entries.length })
        return { ...undone(session, await store.undo({ ...request(from), to })), requestId }
      },
    })
  },
})

function undone({ scope }: Session, { entries, conflicts, erased, left }: UndoResult): object {
  return {
    changes: some(
      entries.flatMap((entry) =>
        entry.kind === 'key'
          ? [{ key: scope.pathOf(entry.key), removes: entry.removes.length, restores: entry.restores.length }]
          : [],
      ),
    ),
    ...(conflicts.length > 0 && {
      conflicts: some(
        conflicts.map(({ key, reason, seq }) => ({ key: scope.pathOf(key ?? scope.prefix), reason, position: seq })),
      ),
    }),
    ...(erased.length > 0 && { bytesErased: some(erased.map(({ key }) => scope.pathOf(key))) }),
    ...(left.length > 0 && { left }),
  }
}
