/** s3rver, for a key pair that is ours: its own program knows only one. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const S3rver = require('s3rver')
const AWSAccount = require('s3rver/lib/models/account')

const [directory, port, accessKeyId, secretAccessKey] = process.argv.slice(2)
new AWSAccount(1, 'bench').createKeyPair(accessKeyId, secretAccessKey)
await new S3rver({ address: '127.0.0.1', port: Number(port), directory, silent: true }).run()
