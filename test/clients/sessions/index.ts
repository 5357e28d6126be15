/** Every client of the matrix, in the order of the table. */
import type { ClientSession } from '../support/session.ts'
import { arrow } from './arrow.ts'
import { awsCli } from './aws-cli.ts'
import { awsCliPast } from './aws-cli-past.ts'
import { deltalake } from './deltalake.ts'
import { dockerRegistry } from './docker-registry.ts'
import { duckdb } from './duckdb.ts'
import { fsspec } from './fsspec.ts'
import { kopia } from './kopia.ts'
import { litestream } from './litestream.ts'
import { obstore } from './obstore.ts'
import { opendal } from './opendal.ts'
import { polars } from './polars.ts'
import { rclone } from './rclone.ts'
import { rclonePast } from './rclone-past.ts'
import { restic } from './restic.ts'
import { s3blob } from './s3blob.ts'
import { s3cmd } from './s3cmd.ts'
import { s3fs } from './s3fs.ts'
import { s5cmd } from './s5cmd.ts'
import { sdkSessions } from './sdks.ts'
import { pastSdkSessions } from './sdks-past.ts'
import { slatedb } from './slatedb.ts'
import { terraform } from './terraform.ts'

export const sessions: readonly ClientSession[] = [
  awsCli,
  ...sdkSessions,
  rclone,
  s3cmd,
  s5cmd,
  restic,
  kopia,
  s3fs,
  duckdb,
  arrow,
  polars,
  deltalake,
  opendal,
  obstore,
  fsspec,
  slatedb,
  s3blob,
  litestream,
  dockerRegistry,
  terraform,
  awsCliPast,
  ...pastSdkSessions,
  rclonePast,
]
