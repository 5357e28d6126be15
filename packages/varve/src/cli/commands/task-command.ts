/** `varve task`: restores, undos and merges of several commits that go on. */
import type { TaskInfo } from '@varve/core'
import { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { reachingCommand, type ReachingOptions } from '../support/endpoint-option.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withStore } from '../support/reach-store.ts'

export function taskCommand(context: CliContext): Command {
  return new Command('task')
    .description('restores, undos and merges of several commits that go on')
    .addCommand(reachingCommand('ls', 'list them').action((options: ReachingOptions) => runList(context, options)))
    .addCommand(
      reachingCommand('stop', 'stop one: what it has committed stays, and "varve undo" takes it back')
        .argument('<id>', 'its id', parseText)
        .action((id: string, options: ReachingOptions) => runStop(context, id, options)),
    )
}

async function runList(context: CliContext, options: ReachingOptions): Promise<void> {
  await withStore(context, options, async (store) => {
    for (const task of await store.tasks.list()) await show(context, options, task)
  })
}

async function runStop(context: CliContext, id: string, options: ReachingOptions): Promise<void> {
  const { output } = context
  await withStore(context, options, async (store) => {
    await store.tasks.stop(id)
    await (options.json === true
      ? output.json({ kind: 'stopped', task: id })
      : output.line(`${printable(id)}  stopped`))
  })
}

async function show({ output }: CliContext, { json = false }: ReachingOptions, task: TaskInfo): Promise<void> {
  const { id, kind, startedAt, startedBy, done, total, isHere, seq, request } = task
  if (json)
    return output.json({ kind: 'task', id, task: kind, request, seq, startedAt, startedBy, done, total, isHere })
  const columns = [
    printable(id),
    kind,
    `${done} of ${total} changes`,
    `since ${startedAt.toISOString()}`,
    `by ${printable(startedBy.name)}`,
    isHere ? 'running' : 'goes on when the store is opened',
  ]
  await output.line(columns.join('  '))
}
