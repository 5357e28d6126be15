/** `varve get`: writes the bytes of an object to a file. The file is complete or not written. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Moment } from '@varve/core'
import type { Command } from 'commander'
import { toFile } from '../../bodies/to-file.ts'
import { pathOf } from '../../files/paths.ts'
import type { CliContext } from '../support/context.ts'
import { UsageError } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { atMoment, momentOption } from '../support/moment-option.ts'
import { parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { withReadableStore } from '../support/reach-store.ts'
import { lastPart, parseObjectUri } from '../support/s3-uri.ts'
import { readingCommand, type ReadingOptions } from '../support/endpoint-option.ts'
import { writeBytes } from '../support/write-bytes.ts'
import { writing } from '../support/written-file.ts'

interface GetCommandOptions extends ReadingOptions {
  readonly versionId?: string
  readonly at?: Moment
  readonly keyring?: string
}

export function getCommand(context: CliContext): Command {
  return readingCommand('get', 'write the bytes of an object to a file')
    .argument('<s3-uri>', 's3://bucket/key')
    .argument('[file]', 'a file, or a directory for it; - for standard output (default: the last part of the key)')
    .option('--version-id <id>', 'this version, not the newest', parseText)
    .addOption(momentOption())
    .addOption(keyringOption())
    .action((uri: string, path: string | undefined, options: GetCommandOptions) => runGet(context, uri, path, options))
}

async function runGet(
  context: CliContext,
  uri: string,
  path: string | undefined,
  options: GetCommandOptions,
): Promise<void> {
  const { versionId, at, keyring, json = false } = options
  const { output, signal } = context
  const { bucket, key } = parseObjectUri(uri)
  const target = await targetOf(path, key)
  await withReadableStore(
    context,
    options,
    async (store) => {
      const { objects } = at === undefined ? store : await atMoment(context, store, at)
      const content = await objects.get(bucket, key, { signal, ...(versionId !== undefined && { versionId }) })
      if (target === '-') return writeBytes(output, content)
      const size = await writing(target, toFile(content, target, { signal }))
      await (json
        ? output.json({ kind: 'got', bucket, key, file: target, size })
        : output.line(`${printable(target)}  ${size} bytes`))
    },
    await keyringOf(keyring),
  )
}

/** @throws UsageError when the key gives no name for a file */
async function targetOf(given: string | undefined, key: string): Promise<string> {
  if (given === '-') return given
  const path = given === undefined ? undefined : pathOf('file', given)
  const isDirectory =
    path !== undefined &&
    (await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    ))
  if (path !== undefined && !isDirectory) return path
  const name = lastPart(key)
  if (unusable.test(name))
    throw new UsageError('The last part of the key is no name for a file.', { hint: 'Name the file.' })
  return isDirectory ? join(path, name) : name
}

/** Names that lead out of the directory, or that are none, on any system. */
const unusable = /^(|\.|\.\.|-|.*[\\\0:].*)$/s
