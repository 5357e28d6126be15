/** `varve follow`: keeps a copy of a store that follows its replica. */
import { Command, Option } from 'commander'
import { type LayoutName, layouts } from '@varve/adapters'
import type { Store } from '@varve/core'
import { openStore } from '../../store/open-store.ts'
import { announcer } from './announcer.ts'
import { aborted } from '../support/aborted.ts'
import type { CliContext } from '../support/context.ts'
import { Interrupted } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { parseDuration } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { openingLabel } from '../support/progress.ts'
import { jsonOption } from '../support/store-command.ts'
import { commandLine } from '../support/program-name.ts'
import { shellWord } from '../support/shell-word.ts'

interface FollowCommandOptions {
  readonly every: number
  readonly layout?: LayoutName
  readonly keyring?: string
  readonly json?: boolean
}

export const followCommand = (context: CliContext): Command =>
  new Command('follow')
    .description('keep a read-only copy that follows a replica, until it is promoted')
    .argument('<from>', 's3://BUCKET/PREFIX, file:///DIRECTORY or the path of a directory')
    .argument('<dir>', 'directory of the copy; it goes on where it was')
    .addOption(
      new Option('--every <duration>', 'how often the replica is asked for what is new')
        .default(1000, '1s')
        .argParser(parseDuration),
    )
    .addOption(new Option('--layout <name>', 'the layout of a new copy').choices(layouts.map(({ name }) => name)))
    .addOption(keyringOption())
    .addOption(jsonOption())
    .action((from: string, dir: string, options: FollowCommandOptions) => run(context, from, dir, options))

async function run(
  context: CliContext,
  from: string,
  dir: string,
  { every, layout, keyring, json = false }: FollowCommandOptions,
): Promise<void> {
  const { output, progress, signal } = context
  const { followFailed, promoted } = announcer(context, json)
  let store: Store | undefined
  try {
    store = await openStore(dir, {
      follow: { from, everyMs: Math.max(every, 10), onFailure: followFailed, onPromoted: promoted },
      ...(layout && { layout }),
      ...(await keyringOf(keyring)),
      signal,
      onProgress: (done) => progress.show(openingLabel, done),
    }).finally(() => progress.clear())
    const text = `${printable(dir)} follows ${printable(from)}, from event ${store.seq} on. Promote it with: ${commandLine(`promote ${shellWord(dir)}`)}`
    await (json ? output.json({ kind: 'following', from, dir, seq: store.seq }) : output.line(text))
    await aborted(signal)
  } catch (error) {
    // Being stopped is the normal end, even early.
    if (!(error instanceof Interrupted)) throw error
  } finally {
    await store?.close()
  }
}
