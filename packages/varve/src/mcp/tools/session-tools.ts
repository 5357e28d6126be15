/** `status` and `fork`: what the session is, and a copy of the workspace to try things in. */
import { schema, StorageError } from '@varve/core'
import { forkOf, type Session } from '../session/session.ts'
import { tool } from './tool.ts'

const nothing = schema.object<object>({})

export const statusTool = tool<object>({
  name: 'status',
  title: 'About this session',
  description: 'Shows the actor of this session, where it works, its limits, and how a person reviews or undoes it.',
  hints: { readOnlyHint: true },
  input: nothing,
  run: async ({ session, store }) => ({ facts: { ...sessionFacts(session), position: await store.position() } }),
})

export const forkTool = tool<object>({
  name: 'fork',
  title: 'Work in a fork',
  description:
    'Makes a fork of the bucket as it is now. From then on all tools of this session work in the fork, and change nothing else, until a person merges it. A session can make one fork.',
  hints: { destructiveHint: false },
  input: nothing,
  async run({ session, store }) {
    if (session.workspace.base !== undefined) {
      throw new StorageError('InvalidRequest', 'This session works in a fork already.')
    }
    session.spending.spend({ operations: 1 })
    session.workspace = await forkOf(store, session.workspace)
    return { facts: sessionFacts(session) }
  },
})

export function sessionFacts({ actor, workspace, scope, settings, spending }: Session): object {
  const { bucket, base, from } = workspace
  const { commandLine = (line: string) => `varve ${line}` } = settings
  const place = `s3://${bucket}${scope.prefix === '' ? '' : `/${scope.prefix}`}`
  return {
    actor: actor.id,
    bucket,
    prefix: scope.prefix,
    ...(base !== undefined && { forkOf: base }),
    from,
    readOnly: settings.readOnly,
    limits: spending.limits,
    left: spending.left,
    forPeople: {
      review: commandLine(`diff ${place} --from ${from}`),
      undo: commandLine(`undo --by ${actor.id}`),
      ...(base !== undefined && {
        merge: commandLine(`merge s3://${bucket}`),
        drop: commandLine(`drop s3://${bucket}`),
      }),
    },
  }
}
