/** `varve history`: every event of one key, with actor and time. */
import { StorageError } from '@varve/core'
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import { describeEvent } from './describe-event.ts'
import { parseObjectUri } from '../support/s3-uri.ts'
import { withReadableStore } from '../support/reach-store.ts'
import { readingCommand, type ReadingOptions } from '../support/endpoint-option.ts'

export function historyCommand(context: CliContext): Command {
  return readingCommand('history', 'show everything that happened to one key')
    .argument('<s3-uri>', 's3://bucket/key')
    .action((uri: string, options: ReadingOptions) => runHistory(context, uri, options))
}

async function runHistory(context: CliContext, uri: string, options: ReadingOptions) {
  const { json = false } = options
  const { output, signal } = context
  const { bucket, key } = parseObjectUri(uri)
  await withReadableStore(context, options, async (store) => {
    let count = 0
    for await (const event of store.history(bucket, key, { signal })) {
      await (json
        ? output.json(event)
        : output.line(describeEvent(event, output.style) + output.style.ago(new Date(event.at))))
      count++
    }
    if (count === 0) throw new StorageError('NoSuchKey', `Nothing ever happened to ${uri}.`)
  })
}
