import commonjs from '@rollup/plugin-commonjs'
import nodeResolve from '@rollup/plugin-node-resolve'

export default {
  input: 'app.mjs',
  output: { dir: 'out', format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
  external: [/^node:/, 'classic-level', 'fs-native-extensions', 'libsql', 'lmdb', '@aws-sdk/client-s3'],
  plugins: [nodeResolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs()],
}
