// Writes test/facts/s3-model.json, the names of headers and parameters in the S3 model of the AWS SDK.
// `node scripts/s3-model.mjs` reads the installed SDK, `node scripts/s3-model.mjs DIRECTORY` another unpacked version of
// the package `@aws-sdk/client-s3`. Needs a build.
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { modelOf } from '../test/dist/facts/sdk-model.js'

const table = new URL('../test/facts/s3-model.json', import.meta.url)
const require = createRequire(new URL('../test/package.json', import.meta.url))
const directory = process.argv[2]
const manifest =
  directory === undefined ? require.resolve('@aws-sdk/client-s3/package.json') : resolve(directory, 'package.json')
const { name, version } = JSON.parse(await readFile(manifest, 'utf8'))
const model = modelOf(`${name} ${version}`, require(manifest.replace(/package\.json$/, 'dist-cjs/index.js')))
await writeFile(table, `${JSON.stringify(model, undefined, 2)}\n`)
