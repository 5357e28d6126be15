import { build } from 'esbuild'

await build({
  entryPoints: ['app.mjs'],
  outfile: 'out/app.cjs',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  logOverride: { 'empty-import-meta': 'silent' },
  external: ['classic-level', 'fs-native-extensions', 'libsql', 'lmdb', '@aws-sdk/client-s3'],
})
