/** The output of commands that write an object. */
import type { PutResult } from '@varve/core'
import type { CliContext } from './context.ts'
import { printable } from './printable.ts'
import { type S3Uri, s3Uri } from './s3-uri.ts'
import type { StoreCommandOptions } from './store-command.ts'

export async function showWritten(
  { output }: CliContext,
  { json = false }: StoreCommandOptions,
  { bucket, key }: S3Uri,
  written: PutResult,
): Promise<void> {
  if (json) return output.json({ kind: 'written', bucket, key, ...written })
  await output.line(`${printable(s3Uri(bucket, key))}  version ${written.versionId}, ${written.size} bytes`)
}
