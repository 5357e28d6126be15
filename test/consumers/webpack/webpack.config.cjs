module.exports = {
  mode: 'production',
  target: 'node20',
  entry: './app.mjs',
  output: { filename: 'app.cjs', path: `${__dirname}/out` },
  externals: ['classic-level', 'fs-native-extensions', 'libsql', 'lmdb'],
  externalsType: 'commonjs',
  optimization: { minimize: false },
}
