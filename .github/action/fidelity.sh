# Compares a tape with a replay of the code, and adds the report to the summary of the job.
set -uo pipefail
report=$(mktemp)
npx reprise fidelity --against "$REPRISE_ACTION_AGAINST" --format markdown --report "$report"
code=$?
echo "code=$code" >>"$GITHUB_OUTPUT"
cat "$report" >>"$GITHUB_STEP_SUMMARY"
rm -f "$report"
exit 0
