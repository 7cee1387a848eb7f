# Yarn 1: install, record, replay; then again from its lock file. (Yarn 1 refuses --frozen-lockfile for a package from a file.)
. "$(dirname "$0")/lib.sh"
yarn() { node "$modules/yarn/bin/yarn.js" --silent "$@"; }
echo '{ "name": "newcomer", "private": true, "license": "MIT" }' >package.json
yarn add -D "$REPRISE_TARBALL" >install.txt 2>&1 || fail "$(cat install.txt)"
records_and_replays yarn run --
rm -rf node_modules
yarn install >ci.txt 2>&1 || fail "$(cat ci.txt)"
records_and_replays yarn run --
echo ok
