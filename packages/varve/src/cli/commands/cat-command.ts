/** `varve cat`: the bytes of one object on standard output, exactly. */
import type { Command } from 'commander'
import type { CliContext } from '../support/context.ts'
import type { Moment } from '@varve/core'
import type { ReachedStore } from '../../control/reached-store.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { atMoment, momentOption } from '../support/moment-option.ts'
import { parseObjectUri } from '../support/s3-uri.ts'
import { withReadableStore } from '../support/reach-store.ts'
import { writeBytes } from '../support/write-bytes.ts'
import { readingCommand, type ReadingOptions } from '../support/endpoint-option.ts'

interface CatOptions extends ReadingOptions {
  readonly versionId?: string
  readonly at?: Moment
  readonly keyring?: string
}

export function catCommand(context: CliContext): Command {
  return readingCommand('cat', 'write the bytes of an object to standard output')
    .argument('<s3-uri>', 's3://bucket/key')
    .option('--version-id <id>', 'this version, not the newest')
    .addOption(momentOption())
    .addOption(keyringOption())
    .action((uri: string, options: CatOptions) => runCat(context, uri, options))
}

async function runCat(context: CliContext, uri: string, options: CatOptions): Promise<void> {
  const { versionId, at, keyring } = options
  const { output, signal } = context
  const { bucket, key } = parseObjectUri(uri)
  const write = async (store: ReachedStore) => {
    const { objects } = at === undefined ? store : await atMoment(context, store, at)
    const content = await objects.get(bucket, key, { signal, ...(versionId !== undefined && { versionId }) })
    await writeBytes(output, content)
  }
  await withReadableStore(context, options, write, await keyringOf(keyring))
}
