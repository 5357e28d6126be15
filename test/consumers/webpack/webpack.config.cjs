module.exports = {
  mode: 'production',
  target: 'node20',
  entry: './app.mjs',
  output: { filename: 'app.cjs', path: `${__dirname}/out` },
  externals: ['classic-level', 'fs-native-extensions', 'libsql', 'lmdb', '@aws-sdk/client-s3'],
  externalsType: 'commonjs',
  optimization: { minimize: false },
}
