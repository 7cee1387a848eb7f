# Fails the job with the first code that is not 0, after the artefacts are kept.
set -uo pipefail
for code in $REPRISE_ACTION_CODES; do
  [ "$code" -eq 0 ] || exit "$code"
done
