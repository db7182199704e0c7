complete -c pkc-procctl -w 'processkit-cli procctl'
